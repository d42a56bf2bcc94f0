# SPDX-License-Identifier: Apache-2.0
"""Totals of a race as dots on a logarithmic axis, the quickest first."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.report.shared import units
from wirecost.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.report.shared.log_axes import MICROSECONDS, domain, ticks
from wirecost.report.shared.races import Race, race_title

ROW = 24
"""Pixels of a contender."""
LABELLED = 5
"""Contenders whose times are written beside their dots; a table has all."""


def totals(rows: list[Row], race: Race, number: int) -> Figure | None:
    """None for a race of one contender. ``number``: of the figure among others of its kind."""
    found = sorted(
        (row for row in rows if row.race == race and row.stage == "total" and row.median_ns > 0),
        key=lambda row: row.median_ns,
    )
    if len(found) < 2:
        return None
    points: list[dict[str, str | float]] = [
        {
            "contender": row.name,
            "us": row.median_ns / 1000,
            "low": max(row.ci95_ns[0], 1) / 1000,
            "high": max(row.ci95_ns[1], 1) / 1000,
            "time": units.time(row.median_ns),
            "label": units.time(row.median_ns) if place < LABELLED else "",
        }
        for place, row in enumerate(found)
    ]
    span = domain([float(point[name]) for point in points for name in ("low", "us", "high")])
    base = alt.Chart(alt.Data(values=points)).encode(
        y=alt.Y(
            "contender:N", sort=[row.name for row in found], title=None, axis=alt.Axis(grid=True)
        )
    )
    across = alt.X(
        "us:Q",
        title="total",
        scale=alt.Scale(type="log", domain=span, nice=False),
        axis=alt.Axis(values=ticks(span), labelExpr=MICROSECONDS),
    )
    dots = base.mark_point(filled=True, size=70, color=PALETTE[0], opacity=1)
    chart = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        dots.encode(x=across, tooltip=["contender:N", "time:N"]),
        base.mark_text(align="left", dx=9, dy=-7, fontSize=11).encode(x=across, text="label:N"),
    ).properties(width=WIDTH, height=ROW * len(found), title=race_title(race))
    return Figure(
        f"totals-{number}",
        "Median of the total with its 95 % interval, on a logarithmic axis.",
        chart,
    )
