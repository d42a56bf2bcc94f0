# SPDX-License-Identifier: Apache-2.0
"""The classes benchmark's figure: each operation's time beside the baseline's."""

from __future__ import annotations

import altair as alt

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import Mark, keyed, log, names_down, plot
from wirecost.results.report.shared.figure import WIDTH, Figure, shades
from wirecost.results.report.shared.races import FEWEST, baseline

from .content import NAMED
from .schema import ClassesRun

SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
ROW = 22


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw one panel for each variant, of its largest message."""
    del results
    variants = dict.fromkeys(row.variant for row in rows)
    panels = [_panel(name, [row for row in rows if row.variant == name]) for name in variants]
    drawn = [panel for panel in panels if panel is not None]
    if not drawn:
        return []
    caption = (
        f"Medians over those of {baseline(rows, rows[0].race)}, of the largest message that was "
        "measured. Left of the dashed line an operation is faster."
    )
    if any(row.repetitions >= FEWEST for row in rows):
        caption += " Lines: 95 % intervals."
    return [Figure("operations", caption, alt.vconcat(*drawn, spacing=12))]


def _panel(variant: str, rows: list[Row]) -> alt.LayerChart | alt.FacetChart | None:
    most = max(row.run_as(ClassesRun).objects for row in rows)
    marks: list[Mark] = [
        {
            "operation": NAMED[row.stage],
            "contender": row.name,
            "ratio": row.ratio.median,
            "low": row.ratio.ci95[0] if row.repetitions >= FEWEST else row.ratio.median,
            "high": row.ratio.ci95[1] if row.repetitions >= FEWEST else row.ratio.median,
            "time": units.time(row.median_ns),
        }
        for row in rows
        if row.stage in NAMED
        and row.run_as(ClassesRun).objects == most
        and row.ratio is not None
        and row.ratio.to != row.name
    ]
    if not marks:
        return None
    names = list(dict.fromkeys(str(mark["contender"]) for mark in marks))
    symbols = [SHAPES[i % len(SHAPES)] for i in range(len(names))]
    operations = list(dict.fromkeys(str(mark["operation"]) for mark in marks))
    base = plot(marks).encode(
        y=names_down("operation", operations, grid=True, ticks=False),
        color=keyed(alt.Color, "contender", names, shades(len(names)), columns=4),
    )
    title = f"time / time of {baseline(rows, rows[0].race)}"
    axis = alt.Axis(format="~g", tickCount=6)
    across = alt.X("ratio:Q", title=title, scale=log(padding=12), axis=axis)
    return alt.layer(
        plot([{"at": 1}]).mark_rule(strokeDash=[4, 3]).encode(x="at:Q"),
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=across,
            shape=keyed(alt.Shape, "contender", names, symbols, columns=4),
            tooltip=["operation:N", "contender:N", "time:N", alt.Tooltip("ratio:Q", format=".3~g")],
        ),
    ).properties(width=WIDTH, height=ROW * len(operations), title=f"{variant}, {most:,} objects")
