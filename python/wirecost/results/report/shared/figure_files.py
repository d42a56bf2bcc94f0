# SPDX-License-Identifier: Apache-2.0
"""Figures as files in a folder."""

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
