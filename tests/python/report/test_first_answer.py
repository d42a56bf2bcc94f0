# SPDX-License-Identifier: Apache-2.0
"""The first answer of every benchmark fits one screen and begins with a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from support.answers import all_of, first_screen
from support.result_folders import copied, edit_meta, edit_samples
from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.answer import LAST, interim_answer, results_answer
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.screen import SCREEN
from wirecost.results.report.shared.table import Table

KEPT = Path(__file__).parents[2] / "data" / "results"
FOLDERS = sorted(path.name for path in KEPT.iterdir() if path.is_dir())
WIDTH = 80
STEP = "wirecost compile"
COMMANDS = ("To print all tables: ", "`wirecost ")
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
    assert any(line.startswith("3 contenders") and "--tables" in line for line in lines)
    printed = " ".join(all_tables(folder).split())
    assert printed.index(f"Not measured: {', '.join(absent)}: left out") < printed.index("────")


def test_steps_give_way_to_rows_that_were_asked_for() -> None:
    rows = [[f"library {number}", "1.0"] for number in range(12)]
    steps = [f"step {number}\nwirecost {'x' * 80}" for number in range(3)]
    answer = Answer("One.", Table("Times", ["library", "×"], rows, []), steps)
    assert first_screen(answer).count("library ") < 1 + 12
    kept = first_screen(replace(answer, least_rows=len(rows)))
    assert kept.count("library ") == 1 + 12 and "step 0" in kept and "step 2" not in kept


def test_a_run_that_goes_on_advises_nothing(tmp_path: Path) -> None:
    folder = copied("message", tmp_path / "folder")
    edit_meta(folder, lambda meta: meta.update(recorded_hz=10.0))
    assert STEP in " ".join(first_answer(folder))
    results = read_results(folder)
    text = first_screen(interim_answer(results, summarize(results), "So far"))
    assert text.startswith("So far\n")
    assert STEP not in text


def test_a_wide_terminal_gets_all_columns() -> None:
    narrow, whole = (all_tables(KEPT / "message", width) for width in (WIDTH, 200))
    assert "more column" in narrow and "more column" not in whole
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
    assert "1. C++: wirecost reused (same bytes), 13× faster" in text
    assert "--rate HZ" in text


def compared_with(rows: Sequence[Row]) -> dict[str, str]:
    """Return the names of the rows that ratios of a folder refer to, and their contenders."""
    ratios = ("ratio", "ratio_best", "ratio_best_codec", "ratio_floor")
    every = (getattr(row, name) for row in rows for name in ratios)
    names = {ratio.to for ratio in every if ratio is not None}
    return {row.name: row.contender for row in rows if row.name in names}


def has_word(text: str, word: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text))


@cache
def summarized(name: str) -> list[Row]:
    return summarize(read_results(KEPT / name))


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("is_whole", [True, False])
def test_what_the_sentence_compares_with_can_be_seen(
    name: str, is_whole: bool, tmp_path: Path
) -> None:
    """Also where the usual baselines are missing, so that another one takes their place."""
    folder = copied(name, tmp_path / "folder")
    contenders = set(compared_with(summarized(name)).values())
    every = {run["contender"] for run in json.loads((folder / "meta.json").read_text())["runs"]}
    if not is_whole:
        if not contenders or len(every - contenders) < 2:
            return
        without(folder, contenders)
    results = read_results(folder)
    rows = summarized(name) if is_whole else summarize(results)
    answer = results_answer(results, rows)
    head, _, body = first_screen(answer).partition("─────")
    table = head.splitlines()[-1] + body
    for baseline, contender in compared_with(rows).items():
        if has_word(answer.sentence, baseline):
            assert has_word(table, contender), f"{baseline} is not in the table"


def test_a_row_that_the_sentence_names_is_the_last_to_go() -> None:
    body = [[f"row-{number}", "1 ms"] for number in range(40)]
    answer = Answer("row-3 is 2 × row-38.", Table("", ["contender", "median"], body, []))
    screen = first_screen(answer)
    assert "row-38 " in screen and "row-39 " not in screen and "more rows" in screen


def without(folder: Path, contenders: set[str]) -> None:
    """Leave contenders out of a folder, as if they had not been chosen."""

    def change(meta: dict[str, Any]) -> None:
        meta["runs"] = [run for run in meta["runs"] if run["contender"] not in contenders]

    edit_meta(folder, change)
    edit_samples(folder, lambda table: table.filter(~pl.col("contender").is_in(list(contenders))))
