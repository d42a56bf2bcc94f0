# SPDX-License-Identifier: Apache-2.0
"""Programs that call ROS 2's tracepoints as rclcpp does, run by ``wirecost probe run``.

Without rclcpp: what it would do is in ``tests/cpp/tracetools/node.cpp``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from support.programs import execute
from wirecost.results.records.probe_log import events_of, read_logs

# Libraries that Python extensions are linked to are in no global scope.
IN_PYTHON = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).main(1, None)"

BUILT = Path(__file__).parents[3] / "build" / "cmake"
HOOKS = BUILT / "cpp" / "wirecost" / "hooks" / "tracetools"
MESSAGES = 60

LISTENER, TALKER = "/robot/listener", "/talker"
SUBSCRIPTION = f"{LISTENER} /chatter example::on_message(int)"
TIMER = f"{TALKER} timer 2 ms example::Timer"
EXPECTED = {
    SUBSCRIPTION: MESSAGES,
    f"{LISTENER} /chatter take→callback": MESSAGES,
    f"{LISTENER} /chatter publish→take": MESSAGES,
    f"{LISTENER} service /robot/add example::add(int, int)": MESSAGES // 5,
    TIMER: MESSAGES,
    f"{TALKER} publish /chatter": MESSAGES,
}


def program(version: str) -> list[str]:
    return [str(BUILT / "tests" / "cpp" / "tracetools" / f"ros2_{version}"), str(MESSAGES)]


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return execute(command, check=True, timeout=60, env=os.environ | environment)


@pytest.mark.parametrize("version", ["humble", "jazzy"])
def test_an_unmodified_program_gets_sections(version: str, tmp_path: Path) -> None:
    wirecost = [sys.executable, "-m", "wirecost", "probe", "run", "--out", str(tmp_path / "logs")]
    done = run([*wirecost, "--", *program(version)], WIRECOST_HOOKS=str(HOOKS))
    events = events_of(read_logs([tmp_path / "logs"]))
    counts = dict(events.group_by("section").len().rows())
    # The listener's last wait ends with the program, not with work.
    assert counts.pop(f"{TALKER} executor idle") == 2 * MESSAGES
    assert counts == EXPECTED
    assert "/chatter · subscription" in done.stdout
    _agrees_with_the_program(events, done.stdout)
    _messages_are_identified(events, version)
    waits = events.filter(section=f"{LISTENER} /chatter take→callback")
    assert (waits["end_ns"] - waits["begin_ns"]).min() >= 20_000  # type: ignore[operator]
    assert events.filter(section=f"{TALKER} publish /chatter")["parent"].unique().to_list() == [
        TIMER
    ]


def _agrees_with_the_program(events: pl.DataFrame, printed: str) -> None:
    """Each callback's times lie between the program's clock readings around and inside of it."""
    lines = [line.split() for line in printed.splitlines() if line.startswith("callback ")]
    measured = [tuple(map(int, words[1:])) for words in lines]
    recorded = events.filter(section=SUBSCRIPTION).select("begin_ns", "end_ns").rows()
    assert len(measured) == len(recorded) == MESSAGES
    for (before, begin, end, after), (recorded_begin, recorded_end) in zip(
        measured, recorded, strict=True
    ):
        assert before <= recorded_begin <= begin
        assert end <= recorded_end <= after


def _messages_are_identified(events: pl.DataFrame, version: str) -> None:
    received = events.filter(section=f"{LISTENER} /chatter take→callback")["message"]
    published = events.filter(section=f"{TALKER} publish /chatter")["message"]
    assert received.n_unique() == MESSAGES
    assert received.null_count() == 0
    if version == "humble":  # its rmw_publish does not have the time stamp
        assert published.null_count() == MESSAGES
    else:
        assert published.to_list() == received.to_list()


def test_calls_still_reach_the_library_behind(tmp_path: Path) -> None:
    hook = str(HOOKS / "libwirecost-hook-ros2.so")
    alone = run(program("humble"))
    hooked = run(program("humble"), LD_PRELOAD=hook, WIRECOST_PROBE=str(tmp_path))
    idle = run(program("humble"), LD_PRELOAD=hook)
    counted = [line for line in alone.stderr.splitlines() if line.startswith("libtracetools")]
    assert counted
    for other in (hooked, idle):
        assert counted[0] in other.stderr
        assert "future 1" in other.stdout
    assert any(tmp_path.glob("*.wprobe"))


@pytest.mark.parametrize("recorded", [True, False])
def test_calls_of_an_extension_reach_the_library_behind(recorded: bool, tmp_path: Path) -> None:
    module = BUILT / "tests" / "cpp" / "tracetools" / "libros2_module.so"
    command = [sys.executable, "-c", IN_PYTHON, str(module)]
    hook = {"LD_PRELOAD": str(HOOKS / "libwirecost-hook-ros2.so")}
    logs = {"WIRECOST_PROBE": str(tmp_path)} if recorded else {}
    counted = [
        [line for line in run(command, **more).stderr.splitlines() if "libtracetools: " in line]
        for more in ({}, hook | logs)
    ]
    assert counted[0] == counted[1] != []
    assert any(tmp_path.glob("*.wprobe")) == recorded
