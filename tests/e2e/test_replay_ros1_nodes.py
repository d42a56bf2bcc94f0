# SPDX-License-Identifier: Apache-2.0
"""Debian's own nodes and one that calls a service are recorded, and do the same again alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcap.reader import make_reader

from support.ros1_system import (
    DEBIAN_MODULES,
    MISSING,
    NODES,
    TOPIC_TOOLS,
    Ros1System,
    ros1_system,
    until,
)
from wirecost.replay.recording import call_record

pytestmark = pytest.mark.skipif(MISSING, reason="needs roscore, rospy and topic-tools of Debian")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ros1System]:
    """Start nodes in simulated time: throttle's decisions follow from what it receives."""
    with ros1_system(tmp_path_factory.mktemp("ros")) as made:
        made.master.setParam("/test", "/use_sim_time", True)
        made.node("counter")
        made.node("simulation")
        made.start(TOPIC_TOOLS / "drop", "/quick", "1", "3", "__name:=drop")
        made.start(TOPIC_TOOLS / "throttle", "messages", "/quick", "7", "__name:=throttle")
        made.node("asker")
        wanted = {"/quick_drop", "/quick_throttle", "/slow", "/asked", "/clock"}
        until(lambda: wanted <= made.published() and "/how_often" in made.provided())
        yield made


def _recorded(system: Ros1System, node: str, folder: Path, *words: str | Path) -> dict[str, Any]:
    done = system.wirecost(
        "record", node, "--for", "2", "--out", folder, "--json", folder.with_suffix(".json"), *words
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(folder.with_suffix(".json").read_text())
    return report


def _replayed(system: Ros1System, folder: Path, *words: str | Path, **more: str) -> dict[str, Any]:
    out = folder.with_name(f"{folder.name}-replayed")
    done = system.wirecost(
        "replay", folder, "--out", out, "--json", "-", "--no-report", *words, **more
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _named(report: dict[str, Any], role: str) -> dict[str, int]:
    return {one["name"]: one["messages"] for one in report["topics"] if one["role"] == role}


def test_drop_drops_the_same_again(system: Ros1System, tmp_path: Path) -> None:
    report = _recorded(system, "/drop", tmp_path / "drop")
    assert _named(report, "input").keys() == {"/clock", "/quick"}
    result = _replayed(system, tmp_path / "drop", "--repeat", "2")
    (runs, _) = result["equality"]
    count = _named(report, "input")["/quick"]
    assert runs["difference"] is None
    # Two of three, the first input having been sent once beforehand or not.
    assert abs(runs["messages"] - 2 * count / 3) < 2
    assert result["complete"]


def test_throttle_decides_the_same_again_by_the_recorded_clock(
    system: Ros1System, tmp_path: Path
) -> None:
    report = _recorded(system, "/throttle", tmp_path / "throttle")
    assert _named(report, "input").keys() == {"/clock", "/quick"}
    assert _named(report, "output").keys() == {"/quick_throttle"}
    result = _replayed(system, tmp_path / "throttle", "--as-fast-as-consumed", "--repeat", "2")
    runs = result["equality"][0]
    assert runs["difference"] is None
    count = _named(report, "input")["/quick"]
    # 50 messages a second of the clock become one every 160 ms.
    assert abs(runs["messages"] - count / 8) < 3


def test_a_node_that_record_starts_is_recorded_and_ends_with_it(
    system: Ros1System, tmp_path: Path
) -> None:
    command = [TOPIC_TOOLS / "drop", "/slow", "1", "2", "__name:=launched"]
    report = _recorded(system, "/launched", tmp_path / "launched", "--launch", "--", *command)
    assert report["ended"] == "time"
    assert _named(report, "input")["/slow"] > 0
    assert _named(report, "output")["/slow_drop"] > 0
    until(lambda: "/slow_drop" not in system.published())
    result = _replayed(system, tmp_path / "launched", "--repeat", "2")
    assert result["equality"][0]["difference"] is None
    assert result["equality"][0]["messages"] > 0


def test_recorded_calls_answer_the_node(system: Ros1System, tmp_path: Path) -> None:
    folder = tmp_path / "asker"
    report = _recorded(system, "/asker", folder)
    assert "/how_often" in report["services"]["calls"]
    with (folder / "recording.mcap").open("rb") as file:
        calls = [
            call_record.decode("/how_often", message.data)
            for _, _, message in make_reader(file).iter_messages(topics=["/how_often/_call"])
        ]
    assert {call.caller for call in calls} == {"/asker"}
    assert {call.request for call in calls} == {b"\x01"}
    assert len({call.reply for call in calls}) == len(calls) > 5
    result = _replayed(system, folder, "--repeat", "2")
    assert [one["difference"] for one in result["equality"]] == [None, None]
    assert result["equality"][0]["messages"] >= len(calls) - 1
    assert result["notes"] == []

    # Another version of the node asks what nobody asked: its call fails.
    command = ["--", sys.executable, str(NODES), "asker", "otherwise"]
    result = _replayed(
        system, folder.rename(tmp_path / "other"), *command, PYTHONPATH=DEBIAN_MODULES
    )
    (note,) = {note for note in result["notes"] if "recorded answer" in note}
    assert note == "/how_often: a request of 1 bytes (00) has no recorded answer"
    assert "/asked message" in result["equality"][0]["difference"]
