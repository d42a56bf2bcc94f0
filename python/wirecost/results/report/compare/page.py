# SPDX-License-Identifier: Apache-2.0
"""A comparison as an HTML page."""

from __future__ import annotations

from wirecost.results.analysis.compare.comparison import Comparison
from wirecost.results.report.compare import tables
from wirecost.results.report.compare.figures import comparison_figures
from wirecost.results.report.compare.rows import headline
from wirecost.results.report.shared.page import render

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
