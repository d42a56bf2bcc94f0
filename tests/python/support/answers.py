# SPDX-License-Identifier: Apache-2.0
"""Answers as a terminal, a page and files have them."""

from __future__ import annotations

import io
from pathlib import Path

from wirecost.cli.ending import Output
from wirecost.cli.probe_show import probe_files_answer
from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.records.folder import Results
from wirecost.results.report.results.answer import results_answer
from wirecost.results.report.scenarios import figures_of
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.page import page
from wirecost.results.report.shared.screen import print_answer, print_whole
from wirecost.system.terminal import Console


def first_screen(answer: Answer, width: int = 80) -> str:
    out = io.StringIO()
    print_answer(Console(file=out, width=width), answer)
    return out.getvalue()


def all_of(answer: Answer, width: int = 80) -> str:
    """Return everything that a terminal shows of it."""
    out = io.StringIO()
    print_whole(Console(file=out, width=width), answer)
    return out.getvalue()


def results_page(
    results: Results,
    rows: list[Row] | None = None,
    figures: list[Figure] | None = None,
    stills: bool = False,
) -> str:
    """Return the page of a result folder, with its own figures unless others are given."""
    rows = summarize(results) if rows is None else rows
    drawn = figures_of(results, rows) if figures is None else figures
    return page(results_answer(results, rows, drawn), stills)


def show_logs(
    paths: list[Path],
    limit_ns: float | None,
    json_file: Path | None = None,
    report: Path | None = None,
    *,
    every: bool = False,
) -> None:
    """End ``wirecost probe show`` of these logs."""
    Output(json_file, report, every).end(probe_files_answer(paths, limit_ns))
