# SPDX-License-Identifier: Apache-2.0
"""The first answer of every benchmark fits one screen and begins with a sentence."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from support.result_folders import copied, edit_meta
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.printed import (
    LAST,
    print_first,
    print_interim,
    print_results,
)
from wirecost.results.report.shared.first import SCREEN
from wirecost.system.terminal import Console

KEPT = Path(__file__).parents[2] / "data" / "results"
FOLDERS = sorted(path.name for path in KEPT.iterdir() if path.is_dir())
WIDTH = 80
COMMANDS = ("All tables: ", "`wirecost ")
"""Begins of lines that are as long as their command."""


def first_answer(folder: Path) -> list[str]:
    console = Console(file=io.StringIO(), width=WIDTH)
    results = read_results(folder)
    print_first(console, results, summarize(results))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_what_was_not_measured_stands_before_the_tables(tmp_path: Path) -> None:
    folder = copied("message", tmp_path / "folder")
    names = ("flatbuffers-table", "wirecost-classes", "messagepack")
    absent = {f"cpp {name}": "left out" for name in names}
    edit_meta(folder, lambda meta: meta.update(not_run=absent))
    lines = first_answer(folder)
    assert "Not measured: 3 contenders; which and why: --tables." in lines
    printed = " ".join(all_tables(folder).split())
    assert printed.index(f"Not measured: {', '.join(absent)}: left out") < printed.index("────")


def test_a_run_that_goes_on_advises_nothing(tmp_path: Path) -> None:
    folder = copied("message", tmp_path / "folder")
    edit_meta(folder, lambda meta: meta.update(recorded_hz=10.0))
    assert any(line.startswith("If you must: ") for line in first_answer(folder))
    out = io.StringIO()
    results = read_results(folder)
    print_interim(Console(file=out, width=WIDTH), results, summarize(results), "So far")
    assert out.getvalue().startswith("So far\n")
    assert "If you must" not in out.getvalue()


def test_a_pipe_gets_all_columns() -> None:
    narrow, whole = (all_tables(KEPT / "message", is_whole=flag) for flag in (False, True))
    assert "more columns" in narrow and "more columns" not in whole
    assert re.search("fill .*destroy .*size", whole)
    assert not re.search("fill .*destroy .*size", narrow)


def all_tables(folder: Path, is_whole: bool = False) -> str:
    console = Console(file=io.StringIO(), width=WIDTH)
    results = read_results(folder)
    print_results(console, results, summarize(results), is_whole=is_whole)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("name", FOLDERS)
def test_it_fits_one_screen(name: str) -> None:
    lines = first_answer(KEPT / name)
    assert len(lines) <= SCREEN - LAST
    # A command is one line, however long its path is.
    assert max(len(line) for line in lines if not line.startswith(COMMANDS)) <= WIDTH
    assert lines[0].strip()
    assert any("─────" in line for line in lines)


def test_a_message_is_answered_with_what_to_do() -> None:
    text = " ".join(first_answer(KEPT / "message"))
    assert "2. C++: wirecost reused (same bytes), 13× faster" in text
    assert "--rate HZ" in text
