# SPDX-License-Identifier: Apache-2.0
"""Every list at every number of elements: how each contender compares with Protobuf at its best."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.report.shared import units
from wirecost.report.shared.figure import Figure
from wirecost.report.shared.table import Table

CELL = 46, 24
"""Pixels."""
MOST_CELLS = 2000
"""Of a figure; more are read in the table."""
FARTHEST = 10.0
"""Ratios beyond it, either way, have the colour of its end."""
NONE = "–"


def matrix(rows: list[Row]) -> Table | None:
    """Ratio of totals to the best Protobuf mode: a row for each contender and list, a column for
    each number of elements. None where nothing is compared with Protobuf."""
    compared = _compared(rows)
    counts = sorted({_count(row) for row in compared})
    cells = {(row.variant, row.name, _count(row)): row for row in compared}
    body = [
        [f"{name}, {kind}", *(_cell(cells.get((kind, name, count))) for count in counts)]
        for kind, name in dict.fromkeys((row.variant, row.name) for row in compared)
    ]
    if not body:
        return None
    notes = [
        "Time to encode and decode, divided by that of the quickest mode of Google Protobuf for "
        "the same list and number of elements; below 1 is quicker."
    ]
    headings = ["contender and list", *(f"{count:,}" for count in counts)]
    return Table("Time compared with Protobuf, by number of elements", headings, body, notes)


def heat(rows: list[Row]) -> Figure | None:
    """The same in colours; None for one cell of a contender, which is no matrix."""
    compared = _compared(rows)
    names = list(dict.fromkeys(row.name for row in compared))
    kinds = list(dict.fromkeys(row.variant for row in compared))
    counts = sorted({_count(row) for row in compared})
    if len(kinds) * len(counts) < 2 or len(compared) > MOST_CELLS:
        return None
    values = [
        {
            "contender": row.name,
            "list": row.variant,
            "count": f"{_count(row):,}",
            "ratio": min(max(row.ratio_best.median, 1 / FARTHEST), FARTHEST),
            "text": _quotient(row.ratio_best.median),
            "time": units.time(row.median_ns),
        }
        for row in compared
        if row.ratio_best is not None
    ]
    base = alt.Chart().encode(
        x=alt.X(
            "count:N",
            sort=[f"{count:,}" for count in counts],
            title="elements",
            axis=alt.Axis(labelAngle=0, ticks=False, domain=False),
        ),
        y=alt.Y("contender:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False)),
    )
    colour = alt.Color(
        "ratio:Q",
        title="time / Protobuf's best",
        scale=alt.Scale(
            type="log",
            domain=[1 / FARTHEST, 1, FARTHEST],
            range=["#56B4E9", "#F5F5F5", "#E69F00"],
            interpolate="rgb",
        ),
        legend=alt.Legend(
            orient="bottom", gradientLength=200, values=[1 / FARTHEST, 1, FARTHEST], format="~g"
        ),
    )
    tooltip = ["list:N", "contender:N", "count:N", "text:N", "time:N"]
    width, height = CELL[0] * len(counts), CELL[1] * len(names)
    chart = (
        alt.layer(
            base.mark_rect(stroke="#8C8C8C", strokeWidth=0.5).encode(color=colour, tooltip=tooltip),
            base.mark_text(fontSize=11, color="#1B1B1B").encode(text="text:N"),
        )
        .properties(width=width, height=height)
        .facet(
            data=alt.Data(values=values),
            facet=alt.Facet("list:N", title=None, sort=kinds),
            columns=max(1, 900 // (width + 150)),
        )
        .properties(title="Time compared with Protobuf's best mode")
    )
    return Figure(
        "list-matrix",
        "Time to encode and decode a list, divided by that of Google Protobuf's quickest mode: "
        "blue is quicker, orange slower, and the number is the ratio. Colours end at 10 times.",
        chart,
    )


def _compared(rows: list[Row]) -> list[Row]:
    """Totals of what is a wire, beside Protobuf's best."""
    return [
        row
        for row in rows
        if row.stage == "total"
        and row.ratio_best is not None
        and row.ratio_best.median > 0
        and row.bytes > 0
    ]


def _count(row: Row) -> int:
    return int(row.facts["elements"] or 0)


def _cell(row: Row | None) -> str:
    if row is None or row.ratio_best is None:
        return NONE
    return "1" if row.ratio_best.to == row.name else _quotient(row.ratio_best.median)


def _quotient(value: float) -> str:
    """Two significant digits: ``101``, ``2.9``, ``0.089``."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"
