# SPDX-License-Identifier: Apache-2.0
"""The page of what a person waits for: its rows, its figures, and goals that are missed."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

from wirecost.results.records.ctf.ros2_trace import read_traces
from wirecost_scenarios.waiting import compilers, page, rows, runs
from wirecost_scenarios.waiting.page import Result
from wirecost_scenarios.waiting.rows import Row
from wirecost_scenarios.waiting.runs import Waited

QUICK = Waited(0.04, 0.03, 2_500_000)
SLOW = Waited(2.5, 4.0, None)


def test_a_missed_goal_stays_with_its_reason() -> None:
    text = page.text(
        [
            Result(Row("`quick`", ("wirecost", "-h"), 0.15, ("/bin/other", "-h")), QUICK, QUICK),
            Result(Row("`slow`", ("wirecost", "cost"), 0.5), SLOW, None, "imports 2.00 s (all)"),
        ]
    )
    assert "**1 of 2 commands answer within their goals.**" in text
    assert "| `quick` | 0.040 | 0.15 | 0.030 | 2 | other: 0.040, 2 |\n" in text
    assert "| `slow` | 2.50 | 0.5 | 4.00 | – | – |\n" in text
    assert text.endswith("- `slow`: imports 2.00 s (all)\n")


def test_traces_have_the_events_that_the_page_says(tmp_path: Path) -> None:
    for name, (nodes, messages) in rows.TRACES.items():
        assert nodes * (8 + 12 * messages) == int(name.replace(",", ""))
    row = rows.of_trace(tmp_path, "4,932")
    (trace,) = read_traces(Path(row.words[-1]))
    assert trace.reader.events == 4932
    assert list(trace.lacks()) == []


def test_processor_time_is_that_of_all_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "RUNS", 1)
    work = "import time\nwhile time.process_time() < 0.1: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}])"
    words = (sys.executable, "-c", parent)
    cold = runs.waited(
        words, tmp_path, is_counted=False, cache=tmp_path / "cache", is_cold=True, awaited=""
    )
    assert cold.processor_s >= 0.1
    assert cold.instructions is None


@pytest.mark.parametrize("awaited", ["table", "another"])
def test_an_answer_on_a_terminal_ends_the_elapsed_time(awaited: str) -> None:
    terminal, program = pty.openpty()
    os.write(program, b"the table\n")
    os.close(program)
    ended: list[bool] = []
    elapsed = runs.until(awaited, terminal, begun=0.0, end=lambda: ended.append(True))
    assert (elapsed is not None) == (awaited == "table") == bool(ended)


def test_what_takes_the_time_is_named(tmp_path: Path) -> None:
    row = Row("`version`", (sys.executable, "-c", "import json, wirecost.system.errors"), 0.0)
    assert runs.imports(row).startswith("imports 0.")
    program = tmp_path / "program.cpp"
    program.write_text("int main() {}\n")
    words = ("sh", "-c", f"$CXX -c {program} && $CXX -c {program}")
    assert compilers.compilers(words, tmp_path).startswith("2 calls of the C++ compiler take ")
