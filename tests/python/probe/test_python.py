# SPDX-License-Identifier: Apache-2.0
"""Probes in Python programs, each run in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.programs import execute
from wirecost.results.records.probe_log import events_of, read_logs

EXAMPLE = Path(__file__).parents[3] / "examples" / "probe" / "callback.py"

PROGRAM = """
import threading
from wirecost.probe import Section, enabled, prepare_thread

assert enabled() is EXPECTED
outer, inner = Section("outer"), Section("inner")

@outer
def twice(x: int) -> int:
    "Doubles."
    with inner:
        return 2 * x

assert (twice(3), twice.__doc__) == (6, "Doubles.")
try:
    with outer.run(loop=41, value=1) as execution:
        execution.value = 5
        raise KeyError
except KeyError:
    pass
inner.mark(0, loop=9)
inner.mark(1, loop=9, value=-2)
thread = threading.Thread(target=twice, args=(1,))
thread.start()
thread.join()
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[[list[str], Path | None], str]:
    """Return a function that runs Python with arguments and returns what it printed."""

    def run(arguments: list[str], logs: Path | None) -> str:
        environment = os.environ | {"WIRECOST_PROBE_COUNTERS": "none"}
        environment |= {"WIRECOST_PROBE": str(logs or "")}
        done = execute([sys.executable, *arguments], env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run


def test_sections_are_recorded(
    run: Callable[[list[str], Path | None], str], tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    run(["-c", PROGRAM.replace("EXPECTED", "True")], logs)
    main, other = sorted(read_logs([logs]), key=lambda log: -len(log.records))
    assert main.events().select("kind", "section", "parent", "loop", "part", "value").rows() == [
        ("section", "inner", "outer", 0, 0, 0),
        ("section", "outer", None, 0, 0, 0),
        ("section", "outer", None, 41, 0, 5),
        ("mark", "inner", None, 9, 0, 0),
        ("mark", "inner", None, 9, 1, -2),
    ]
    assert other.events()["section"].to_list() == ["inner", "outer"]
    assert main.thread != other.thread
    assert main.ended


def test_switched_off_there_is_no_file(
    run: Callable[[list[str], Path | None], str], tmp_path: Path
) -> None:
    run(["-c", PROGRAM.replace("EXPECTED", "False")], None)
    assert list(tmp_path.iterdir()) == []


def test_the_example_runs(run: Callable[[list[str], Path | None], str], tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    assert run([str(EXAMPLE)], logs).endswith(": 399000\n")
    events = events_of(read_logs([logs]))
    callbacks = events.filter(section="callback")
    assert callbacks["value"].to_list() == [1000 + 10 * i for i in range(200)]
    assert events.filter(section="sum ranges")["parent"].to_list() == ["callback"] * 200
