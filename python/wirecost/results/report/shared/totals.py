# SPDX-License-Identifier: Apache-2.0
"""Totals of a race as dots on a logarithmic axis, the quickest first."""

from __future__ import annotations

import altair as alt

from wirecost.results.analysis.summary import Row
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import domain, log_time, names_down, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.results.report.shared.races import Race, by_race, race_title

ROW = 24
"""Pixels of a contender."""
LABELLED = 5
"""Contenders whose times are written beside their dots; a table has all."""


def totals(rows: list[Row], race: Race, number: int) -> Figure | None:
    """Draw the totals.

    It is None for a race of one contender. ``number``: of the figure among others of its kind.
    """
    in_order = sorted(
        (row for row in rows if row.race == race and row.stage == "total" and row.median_ns > 0),
        key=lambda row: row.median_ns,
    )
    if len(in_order) < 2:
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
        for place, row in enumerate(in_order)
    ]
    span = domain([float(point[name]) for point in points for name in ("low", "us", "high")])
    base = plot(points).encode(y=names_down("contender", [row.name for row in in_order], grid=True))
    across = log_time(alt.X, "us", "total", span)
    dots = base.mark_point(filled=True, size=70, color=PALETTE[0], opacity=1)
    chart = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        dots.encode(x=across, tooltip=["contender:N", "time:N"]),
        base.mark_text(align="left", dx=9, dy=-7, fontSize=11).encode(x=across, text="label:N"),
    ).properties(width=WIDTH, height=ROW * len(in_order), title=race_title(race))
    caption = "Median of the total with its 95 % interval, on a logarithmic axis."
    return Figure(f"totals-{number}", caption, chart)


def all_totals(rows: list[Row]) -> list[Figure]:
    """Draw the totals of every race of several contenders."""
    own = enumerate(by_race(rows).items(), start=1)
    figures = (totals(here, race, number) for number, (race, here) in own)
    return [figure for figure in figures if figure is not None]
