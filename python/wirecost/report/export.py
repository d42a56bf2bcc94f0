# SPDX-License-Identifier: Apache-2.0
"""Writes a result folder's report in the formats asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import vl_convert as vlc

from wirecost.analysis.summary import Row
from wirecost.errors import UserError
from wirecost.records.folder import Results
from wirecost.report import html, markdown, table
from wirecost.report.figures import Figure, all_figures, themed
from wirecost.report.scenarios import content_of
from wirecost.whole_file import replaced, write_text

PAPER_INK = "#222222"
FORMATS = ("html", "svg", "png", "pdf", "md", "csv")


def write_report(results: Results, rows: list[Row], formats: list[str]) -> list[Path]:
    """Write the formats into the result folder; the paths of what was written."""
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UserError(f"unknown format {', '.join(unknown)}; there are {', '.join(FORMATS)}")
    figures = all_figures(results, rows)
    written: list[Path] = []
    try:
        for name in formats:
            written += _write(name, results, rows, figures)
    except OSError as error:
        raise UserError(f"{results.folder}: {error.strerror}; make the folder writable") from error
    return written


def _write(name: str, results: Results, rows: list[Row], figures: list[Figure]) -> list[Path]:
    texts: dict[str, Callable[[], str]] = {
        "html": lambda: html.page(results, rows, figures),
        "md": lambda: _markdown(results, rows),
        "csv": lambda: table.csv_text(rows),
    }
    if name in texts:
        path = results.folder / f"report.{name}"
        write_text(path, texts[name]())
        return [path]
    folder = results.folder / "figures"
    folder.mkdir(exist_ok=True)
    return [draw(figure, folder / figure.file(name)) for figure in figures]


def draw(figure: Figure, path: Path) -> Path:
    """Write a figure; the suffix is its format: .svg, .png or .pdf. Raises OSError."""
    specification = themed(figure.chart, PAPER_INK)
    specification["config"]["background"] = "white"
    with replaced(path) as made:
        if path.suffix == ".svg":
            made.write_text(vlc.vegalite_to_svg(specification), encoding="utf-8")
        elif path.suffix == ".png":
            made.write_bytes(vlc.vegalite_to_png(specification, scale=2))
        else:
            made.write_bytes(vlc.vegalite_to_pdf(specification))
    return path


def _markdown(results: Results, rows: list[Row]) -> str:
    content = content_of(results, rows)
    return "\n".join(markdown.table(one) for one in (*content.tables, *content.details))
