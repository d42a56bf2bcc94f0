# SPDX-License-Identifier: Apache-2.0
"""The first answer of every benchmark fits one screen and begins with a sentence."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.printed import LAST, print_first
from wirecost.results.report.shared.first import SCREEN

KEPT = Path(__file__).parents[2] / "data" / "results"
FOLDERS = sorted(path.name for path in KEPT.iterdir() if path.is_dir())
WIDTH = 80


def first_answer(folder: Path) -> list[str]:
    console = Console(file=io.StringIO(), width=WIDTH)
    results = read_results(folder)
    print_first(console, results, summarize(results))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("name", FOLDERS)
def test_it_fits_one_screen(name: str) -> None:
    lines = first_answer(KEPT / name)
    assert len(lines) <= SCREEN - LAST
    # A command is one line, however long its path is.
    assert max(len(line) for line in lines if not line.startswith("All tables: ")) <= WIDTH
    assert lines[0].strip()
    assert any("─────" in line for line in lines)


def test_a_message_is_answered_with_what_to_do() -> None:
    text = " ".join(first_answer(KEPT / "message"))
    assert "1. C++: wirecost reused (same bytes): 13× faster" in text
    assert "--rate HZ" in text
