# SPDX-License-Identifier: Apache-2.0
"""A chain of Debian's relays as they are: where the time of a message goes over three processes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.ros1_system import MISSING, TOPIC_TOOLS, WIRECOST, Ros1System, ros1_system, until

pytestmark = pytest.mark.skipif(MISSING, reason="needs roscore, rospy and topic-tools of Debian")
RATE, SECONDS = 50, 3


@pytest.fixture
def system(tmp_path: Path) -> Iterator[Ros1System]:
    with ros1_system(tmp_path) as started:
        yield started


def test_a_chain_over_two_relays(system: Ros1System, tmp_path: Path) -> None:
    logs = [tmp_path / name for name in ("first", "second")]
    for folder, source, target in zip(logs, ("/a", "/b"), ("/b", "/c"), strict=True):
        relay = [TOPIC_TOOLS / "relay", source, target, f"__name:=relay_{folder.name}"]
        system.start(WIRECOST, "probe", "run", "--out", folder, "--", *relay)
    system.start("/usr/bin/rostopic", "pub", "-s", "-r", str(RATE), "/a", "std_msgs/Header",
                 "{stamp: now}")  # fmt: skip
    # A relay advertises with its first message.
    until(lambda: "/c" in system.published())
    time.sleep(SECONDS)
    system.stop()
    deadline = ("--deadline", "1us")
    chain = ("probe", "chain", *logs, "--from", "/a", "--to", "/c")
    done = system.wirecost(*chain, *deadline, "--json", tmp_path / "chains.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "chains.json").read_text())
    assert found["count"] > RATE * SECONDS / 2
    assert len(found["misses"]) == found["count"]
    kinds = [part["kind"] for part in found["parts"]]
    assert kinds[-5:] == ["callback", "transport", "queue wait", "callback", "publish"]
    whole = [sum(part["ns"] for part in miss["parts"]) == miss["ns"] for miss in found["misses"]]
    assert all(whole)
    missing = system.wirecost("probe", "chain", *logs, "--from", "/x", "--to", "/c")
    assert missing.returncode == 2
    assert "/a, /b, /c" in missing.stderr
