# SPDX-License-Identifier: Apache-2.0
"""Figures as files: many in a folder, or one in the place of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from wirecost.results.report.shared.figure import Figure, draw
from wirecost.system.failed_write import failed_write
from wirecost.system.whole_file import made_folder


def write_figures(figures: Iterable[Figure], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write every figure in each format, in a folder that is made if need be. Raises UserError."""
    try:
        with made_folder(folder):
            return [
                draw(figure.chart, folder / figure.file(form))
                for figure in figures
                for form in formats
            ]
    except OSError as error:
        raise failed_write(folder, error, "name a writable --figures folder") from error


def draw_report(figure: Figure, path: Path) -> None:
    """Draw what ``--report`` asks for alone; the suffix decides the format. Raises UserError."""
    try:
        draw(figure.chart, path)
    except OSError as error:
        raise failed_write(path, error, "name a writable --report file") from error
