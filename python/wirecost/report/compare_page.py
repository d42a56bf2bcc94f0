# SPDX-License-Identifier: Apache-2.0
"""A comparison as an HTML page and as figure files."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wirecost.analysis.compare.comparison import Comparison
from wirecost.errors import UserError
from wirecost.report import compare_tables
from wirecost.report.compare_rows import verdict_line
from wirecost.report.export import draw
from wirecost.report.figures import Figure, themed
from wirecost.report.figures.comparison import comparison_figures
from wirecost.report.html import bundle, script_json

FORMATS = ("svg", "png", "pdf")
MOST_UNCHANGED = 2000
"""Rows of the fold; a page with more is slow to open, and ``--json`` has all."""


def page(comparison: Comparison) -> str:
    """One file that works offline, in light and dark."""
    environment = Environment(
        loader=PackageLoader("wirecost.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    figures: list[Figure] = comparison_figures(comparison)
    unchanged = compare_tables.unchanged(comparison)
    if len(unchanged.rows) > MOST_UNCHANGED:
        unchanged.notes.append(f"{len(unchanged.rows) - MOST_UNCHANGED:,} more are in --json.")
        del unchanged.rows[MOST_UNCHANGED:]
    return environment.get_template("compare.html.j2").render(
        scenario=comparison.a.scenario,
        sides=[
            (name, str(run.path), run.meta.get("created", ""))
            for name, run in (("A", comparison.a), ("B", comparison.b))
        ],
        verdict=verdict_line(comparison),
        failed=bool(comparison.regressions()),
        warnings=compare_tables.warnings(comparison),
        changed=compare_tables.changed(comparison),
        unchanged=unchanged,
        counts=compare_tables.counts(comparison, every=False),
        every_count=compare_tables.counts(comparison, every=True),
        outputs=compare_tables.outputs(comparison),
        environment=compare_tables.environment(comparison),
        one_sided=compare_tables.one_sided(comparison),
        method=compare_tables.method(comparison),
        figures=figures,
        specifications=Markup(script_json([themed(f.chart, "currentColor") for f in figures])),
        bundle=bundle(),
    )


def write_figures(comparison: Comparison, folder: Path, form: str) -> list[Path]:
    """Draw all figures into ``folder``, made where it is not there. Raises UserError."""
    if form not in FORMATS:
        raise UserError(f"--format {form}: there are {', '.join(FORMATS)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [
            draw(figure, folder / figure.file(form)) for figure in comparison_figures(comparison)
        ]
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}; name a writable --figures folder") from error
