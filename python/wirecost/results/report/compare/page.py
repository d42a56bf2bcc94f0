# SPDX-License-Identifier: Apache-2.0
"""A comparison as an HTML page and as figure files."""

from __future__ import annotations

from pathlib import Path

from wirecost.results.analysis.compare.comparison import Comparison
from wirecost.results.report.choices import FIGURE_FORMATS
from wirecost.results.report.compare import tables
from wirecost.results.report.compare.figures import comparison_figures
from wirecost.results.report.compare.rows import headline
from wirecost.results.report.shared.figure import draw
from wirecost.results.report.shared.page import render
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.whole_file import made_folder

MOST_UNCHANGED = 2000
"""Rows of the fold; a page with more is slow to open, and ``--json`` has all."""


def page(comparison: Comparison) -> str:
    """Return one file that works offline, in light and dark."""
    figures = comparison_figures(comparison)
    unchanged = tables.unchanged(comparison)
    if len(unchanged.rows) > MOST_UNCHANGED:
        unchanged.notes.append(f"{len(unchanged.rows) - MOST_UNCHANGED:,} more are in --json.")
        del unchanged.rows[MOST_UNCHANGED:]
    return render(
        "compare.html.j2",
        figures,
        scenario=comparison.a.scenario,
        sides=[
            (name, str(run.path), run.meta.created)
            for name, run in (("A", comparison.a), ("B", comparison.b))
        ],
        verdict=headline(comparison),
        checked=tables.equal_outputs(comparison),
        failed=bool(comparison.regressions()),
        warnings=tables.warnings(comparison),
        changed=tables.changed(comparison),
        unchanged=unchanged,
        counts=tables.counts(comparison, every=False),
        every_count=tables.counts(comparison, every=True),
        outputs=tables.outputs(comparison),
        environment=tables.environment(comparison),
        one_sided=tables.one_sided(comparison),
        method=tables.method(comparison),
        figures=figures,
    )


def write_figures(comparison: Comparison, folder: Path, form: str) -> list[Path]:
    """Draw all figures into ``folder``, made where it is not there. Raises UserError."""
    if form not in FIGURE_FORMATS:
        raise UserError(f"--format {form}: there are {', '.join(FIGURE_FORMATS)}")
    try:
        with made_folder(folder):
            figures = comparison_figures(comparison)
            return [draw(figure.chart, folder / figure.file(form)) for figure in figures]
    except OSError as error:
        raise failed_write(folder, error, "name a writable --figures folder") from error
