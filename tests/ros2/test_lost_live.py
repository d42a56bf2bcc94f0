# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost --live ros2`` beside nodes of rclpy between which messages die on purpose."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from support.networks import NETWORKS, run_inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of
from wirecost.observe.probe.function import uprobes
from wirecost.results.records.lost_live import READER, SOCKET, WRITER

SCENARIO = Path(__file__).with_name("lost_scenario.py")
SMALL_SOCKETS = """<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
<transport_descriptors><transport_descriptor>
<transport_id>small</transport_id><type>UDPv4</type>
<sendBufferSize>4000000</sendBufferSize><receiveBufferSize>70000</receiveBufferSize>
</transport_descriptor></transport_descriptors>
<participant profile_name="small" is_default_profile="true"><rtps>
<userTransports><transport_id>small</transport_id></userTransports>
<useBuiltinTransports>false</useBuiltinTransports>
</rtps></participant>
</profiles></dds>
"""


@dataclass
class Watched:
    """What the command found and printed, and the numbers that each mode's listener took."""

    found: Any
    said: str
    taken: dict[str, list[int]]

    def of(self, mode: str) -> Any:
        """Return the subscription of a mode's listener."""
        every = [each for each in self.found["subscriptions"] if each["topic"] == f"/{mode}"]
        (subscription,) = every
        assert subscription["subscribers"] == [f"/{mode}_listener"]
        assert subscription["publishers"] == [f"/{mode}_talker"]
        return subscription

    def missing(self, mode: str) -> int:
        return sum(after - before - 1 for before, after in pairwise(self.taken[mode]))

    def assert_exact(self, mode: str, place: str) -> None:
        """Fail unless the counts of a mode are those of its listener, and died at that place."""
        subscription, numbers, missing = self.of(mode), self.taken[mode], self.missing(mode)
        assert subscription["places"] == ({place: missing} if missing else {})
        assert subscription["taken"] == len(numbers)
        assert subscription["published"] == numbers[-1] - numbers[0] + 1


def watched(at: int, modes: Sequence[str], tmp_path: Path, *options: str) -> Watched:
    """Watch pairs of talker and listener by the ROS 2 and the network of that number."""
    out, python = tmp_path / "lost.json", python_of(DISTRIBUTIONS[at])
    words = [sys.executable, SCENARIO, python, NODES / "losing.py", ",".join(modes), tmp_path]
    done = run_inside(NETWORKS[at], [*words, "--json", out, *options], timeout_s=300)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, done.stdout
    taken = {mode: [*map(int, (tmp_path / mode).read_text().split())] for mode in modes}
    return Watched(json.loads(out.read_text()), " ".join(done.stdout.split()), taken)


@pytest.fixture
def attach() -> str:
    if uprobes.unavailable():
        pytest.skip(f"no uprobes: {uprobes.unavailable()}")
    return "--attach"


def test_slow_callbacks_and_bursts_overwrite_the_readers_history(
    attach: str, tmp_path: Path
) -> None:
    graph = watched(1, ("healthy", "slow", "burst"), tmp_path, attach)
    assert graph.missing("healthy") == 0
    assert min(graph.missing("slow"), graph.missing("burst")) > 20
    for mode, held in (("healthy", 0), ("slow", 1), ("burst", 5)):
        graph.assert_exact(mode, READER)
        assert graph.of(mode)["held"] == held
    assert "fell out of the reader's history" in graph.said
    assert "Raise the depth of the subscription to /slow, which held 1 message" in graph.said
    assert "/burst, which held 5 messages: it takes a message every" in graph.said


def test_full_sockets_and_the_writers_history_lose_on_the_way(
    attach: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = tmp_path / "small.xml"
    profile.write_text(SMALL_SOCKETS)
    for name in ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"):
        monkeypatch.setenv(name, str(profile))
    graph = watched(0, ("socket", "writer"), tmp_path, attach)
    for mode, place in (("socket", SOCKET), ("writer", WRITER)):
        graph.assert_exact(mode, place)
        assert graph.of(mode)["dropped_datagrams"] > 0
    assert "Enlarge the receive buffer of /socket_listener" in graph.said
    assert "Raise the depth of the publisher of /writer" in graph.said


def test_without_breakpoints_it_says_what_cannot_be_told(tmp_path: Path) -> None:
    graph = watched(0, ("slow", "mismatch"), tmp_path)
    for mode in ("slow", "mismatch"):
        assert graph.of(mode)["published"] is None and graph.of(mode)["places"] == {}
    assert not graph.taken["mismatch"]
    assert list(graph.of("mismatch")["refusals"].values()) == [["/mismatch_talker"]]
    assert "Let /mismatch_listener and /mismatch_talker agree on /mismatch" in graph.said
    assert "cannot be told without --attach" in graph.said
    assert "lost --live ros2 --attach" in graph.said
    heard = {topic["topic"]: topic["published"] for topic in graph.found["heard"]}
    assert heard["/slow"] == 60
