# SPDX-License-Identifier: Apache-2.0
"""Writes a result folder's report in the formats asked for."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.choices import REPORT_FORMATS
from wirecost.results.report.results.answer import results_answer
from wirecost.results.report.scenarios import figures_of
from wirecost.results.report.shared import markdown
from wirecost.results.report.shared.figure import Figure, draw
from wirecost.results.report.shared.page import page
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.whole_file import made_folder, write_text

WITHOUT_FIGURES = {"md", "csv"}
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a spreadsheet's formula."""


def write_report(
    results: Results, rows: list[Row], formats: list[str], stills: bool = False
) -> list[Path]:
    """Write the formats into the result folder and return the paths of what was written.

    ``stills``: figures of the page are drawn for browsers without scripts, too.
    """
    unknown = [name for name in formats if name not in REPORT_FORMATS]
    if unknown:
        raise UserError(
            f"unknown format {', '.join(unknown)}; there are {', '.join(REPORT_FORMATS)}"
        )
    # What needs none can be written even where a figure cannot be drawn.
    figures = [] if set(formats) <= WITHOUT_FIGURES else figures_of(results, rows)
    written: list[Path] = []
    try:
        for name in formats:
            written += _write(name, results, rows, figures, stills)
    except OSError as error:
        raise failed_write(results.folder, error, "make the folder writable") from error
    return written


def _write(
    name: str, results: Results, rows: list[Row], figures: list[Figure], stills: bool
) -> list[Path]:
    texts: dict[str, Callable[[], str]] = {
        "html": lambda: page(results_answer(results, rows, figures), stills),
        "md": lambda: markdown.answer(results_answer(results, rows)),
        "csv": lambda: csv_text(rows),
    }
    if name in texts:
        path = results.folder / f"report.{name}"
        write_text(path, texts[name]())
        return [path]
    folder = results.folder / "figures"
    with made_folder(folder):
        return [draw(figure.chart, folder / figure.file(name)) for figure in figures]


def csv_text(rows: list[Row]) -> str:
    """Return all rows with plain numbers, for other tools."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [
        "case", "contender", "variant", "build", "fmi", "stage", "n",
        "median_ns", "p5_ns", "p95_ns", "p99_ns",
    ]  # fmt: skip
    # Behind what older readers know; the names are the format's.
    counted = ["allocations", "instructions"]
    parts = ("to", "median", "low", "high")
    writer.writerow(
        [*names, "ci95_low_ns", "ci95_high_ns", "bytes", "digest"]
        + [f"{r}_{part}" for r in ("ratio", "ratio_best") for part in parts]
        + ["lang", "mode", *counted]
        + [f"ratio_sceptic_{part}" for part in parts]
        + ["processes"]
    )
    for row in rows:
        cells: list[Any] = [getattr(row, name) for name in names]
        cells += [*row.ci95_ns, row.bytes, row.digest]
        cells += [*_ratio_cells(row.ratio), *_ratio_cells(row.ratio_best)]
        cells += [row.lang, row.mode, *(row.fact(name) for name in counted)]
        cells += [*_ratio_cells(row.ratio_best_codec), row.processes]
        writer.writerow([_no_formula(cell) for cell in cells])
    return out.getvalue()


def _ratio_cells(ratio: Ratio | None) -> list[Any]:
    return [ratio.to, ratio.median, *ratio.ci95] if ratio else [None] * 4


def _no_formula(cell: Any) -> Any:
    """Return text that a spreadsheet would take for a formula, as text: names come from files."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
