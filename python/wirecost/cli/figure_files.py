# SPDX-License-Identifier: Apache-2.0
"""``--figures DIR``: every figure of an answer as a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from wirecost.cli.options import option
from wirecost.results.report.choices import FIGURE_FORMATS
from wirecost.results.report.shared.answer import Answer
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

Figures = Annotated[
    Path | None, option("Write each figure to a file in this folder.", metavar="DIR")
]
FigureFormats = Annotated[
    str | None,
    option(
        f"With --figures: {', '.join(FIGURE_FORMATS)}, comma-separated; default "
        f"{FIGURE_FORMATS[0]}.",
        "--format",
        metavar="FORMATS",
        known=FIGURE_FORMATS,
    ),
]


def figure_formats(folder: Path | None, form: str | None) -> Sequence[str]:
    """Return the formats of figures, before any work. Raises UserError."""
    if folder is None and form is not None:
        raise UserError(f"--format {form}: needs --figures DIR")
    return chosen("--format", form or FIGURE_FORMATS[0], FIGURE_FORMATS)


def with_figures(answer: Answer, folder: Path | None, formats: Sequence[str]) -> Answer:
    """Write the figures into a folder, and return the answer with their paths. Raises UserError."""
    if folder is None:
        return answer
    # Only here: drawing takes a third of a second to import.
    from wirecost.results.report.shared.figure_files import write_figures

    paths = write_figures(answer.figures(False), folder, formats)
    return replace(answer, written=[str(path) for path in paths])
