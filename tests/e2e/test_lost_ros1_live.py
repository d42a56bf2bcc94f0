# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost --live ros1`` beside real nodes whose queues overflow: counts and places."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ros1_system import MISSING
from wirecost_scenarios.lost.ros1 import PAIRS, run

pytestmark = pytest.mark.skipif(MISSING, reason="needs rosmaster, rospy and roscpp of Debian")


def test_each_queue_that_overflows_is_named_and_counted(tmp_path: Path) -> None:
    seen = run(PAIRS, tmp_path)
    for pair in PAIRS:
        assert seen.is_exact(pair), (pair, seen.of(pair.name), seen.taken[pair.name])
    said = " ".join(seen.said.split())
    assert "did not reach" in said and "queue" in said
    assert "1. Shorten the callback of /slow_" in said
    lines = seen.said.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, seen.said
