# SPDX-License-Identifier: Apache-2.0
"""The first answer of every benchmark fits one screen and begins with a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.answers import all_of, first_screen
from support.result_folders import copied, edit_meta
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.answer import LAST, interim_answer, results_answer
from wirecost.results.report.shared.screen import SCREEN

KEPT = Path(__file__).parents[2] / "data" / "results"
FOLDERS = sorted(path.name for path in KEPT.iterdir() if path.is_dir())
WIDTH = 80
COMMANDS = ("All tables: ", "`wirecost ")
"""Begins of lines that are as long as their command."""


def first_answer(folder: Path) -> list[str]:
    results = read_results(folder)
    return first_screen(results_answer(results, summarize(results))).splitlines()


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
    assert any(line.startswith("Possible, but not worth it: ") for line in first_answer(folder))
    results = read_results(folder)
    text = first_screen(interim_answer(results, summarize(results), "So far"))
    assert text.startswith("So far\n")
    assert "Possible, but" not in text


def test_a_wide_terminal_gets_all_columns() -> None:
    narrow, whole = (all_tables(KEPT / "message", width) for width in (WIDTH, 200))
    assert "more columns" in narrow and "more columns" not in whole
    assert re.search("fill .*destroy .*size", whole)
    assert not re.search("fill .*destroy .*size", narrow)


def all_tables(folder: Path, width: int = WIDTH) -> str:
    results = read_results(folder)
    return all_of(results_answer(results, summarize(results)), width)


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
