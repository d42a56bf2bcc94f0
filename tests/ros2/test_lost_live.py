# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost --live ros2`` beside nodes of rclpy between which messages die on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.networks import NETWORKS, run_inside
from support.ros2_wheels import DISTRIBUTIONS, python_of
from wirecost.observe.probe.function import uprobes
from wirecost.results.records.lost_live import READER, SOCKET, WRITER
from wirecost_scenarios.lost import runs
from wirecost_scenarios.lost.runs import Watched


@dataclass
class Seen:
    """What the command counted and printed."""

    run: Watched
    said: str

    def of(self, mode: str) -> Any:
        """Return the subscription of a mode's listener."""
        subscription = self.run.of(mode)
        assert subscription["subscribers"] == [f"/{mode}_listener"]
        assert subscription["publishers"] == [f"/{mode}_talker"]
        return subscription

    def assert_exact(self, mode: str, place: str) -> None:
        """Fail unless the counts of a mode are those of its listener, and died at that place."""
        assert self.run.is_exact(mode, place), (self.of(mode), self.run.taken[mode])


def seen(at: int, modes: Sequence[str], tmp_path: Path, *options: str) -> Seen:
    """Watch pairs of talker and listener by the ROS 2 and the network of that number."""
    words = runs.command(python_of(DISTRIBUTIONS[at]), modes, tmp_path, options)
    done = run_inside(NETWORKS[at], words, timeout_s=300)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, done.stdout
    return Seen(runs.watched(tmp_path, modes), " ".join(done.stdout.split()))


@pytest.fixture
def attach() -> str:
    if uprobes.unavailable():
        pytest.skip(f"no uprobes: {uprobes.unavailable()}")
    return "--attach"


def test_slow_callbacks_and_bursts_overwrite_the_readers_history(
    attach: str, tmp_path: Path
) -> None:
    graph = seen(1, ("healthy", "slow", "burst"), tmp_path, attach)
    assert graph.run.missing("healthy") == 0
    assert min(graph.run.missing("slow"), graph.run.missing("burst")) > 20
    for mode, held in (("healthy", 0), ("slow", 1), ("burst", 5)):
        graph.assert_exact(mode, READER)
        assert graph.of(mode)["held"] == held
    assert "fell out of the reader's history" in graph.said
    assert "Raise the depth of the subscription to /slow, which held 1 message" in graph.said
    assert "/burst, which held 5 messages: it takes a message every" in graph.said


def test_full_sockets_and_the_writers_history_lose_on_the_way(
    attach: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in runs.small_sockets(tmp_path).items():
        monkeypatch.setenv(name, value)
    graph = seen(0, ("socket", "writer"), tmp_path, attach)
    for mode, place in (("socket", SOCKET), ("writer", WRITER)):
        graph.assert_exact(mode, place)
        assert graph.of(mode)["dropped_datagrams"] > 0
    assert "Enlarge the receive buffer of /socket_listener" in graph.said
    assert "Raise the depth of the publisher of /writer" in graph.said


def test_without_breakpoints_it_says_what_cannot_be_told(tmp_path: Path) -> None:
    graph = seen(0, ("slow", "mismatch"), tmp_path)
    for mode in ("slow", "mismatch"):
        assert graph.of(mode)["published"] is None and graph.of(mode)["places"] == {}
    assert not graph.run.taken["mismatch"]
    assert list(graph.of("mismatch")["refusals"].values()) == [["/mismatch_talker"]]
    assert "Let /mismatch_listener and /mismatch_talker agree on /mismatch" in graph.said
    assert "cannot be told without --attach" in graph.said
    assert "lost --live ros2 --attach" in graph.said
    heard = {topic["topic"]: topic["published"] for topic in graph.run.answer["heard"]}
    assert heard["/slow"] == 60
