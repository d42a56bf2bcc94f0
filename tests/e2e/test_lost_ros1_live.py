# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost --live ros1`` beside real nodes whose queues overflow: counts and places."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ros1_system import MISSING
from wirecost_scenarios.lost.ros1 import PAIRS, STEADY, STEADY_S, run

pytestmark = pytest.mark.skipif(MISSING, reason="needs rosmaster, rospy and roscpp of Debian")


def test_a_listener_that_never_keeps_up_is_named(tmp_path: Path) -> None:
    seen = run(STEADY, tmp_path, STEADY_S)
    for pair in STEADY:
        assert seen.is_right(pair), (pair, seen.of(pair.name), seen.taken[pair.name])
    assert "at least" in seen.said and "fell out of the publisher's queue" in seen.said


def test_each_queue_that_overflows_is_named_and_counted(tmp_path: Path) -> None:
    seen = run(PAIRS, tmp_path)
    for pair in PAIRS:
        assert seen.is_exact(pair), (pair, seen.of(pair.name), seen.taken[pair.name])
    said = " ".join(seen.said.split())
    assert "did not reach" in said and "queue" in said
    assert "1. Shorten the callback of /slow_" in said
    lines = seen.said.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, seen.said
