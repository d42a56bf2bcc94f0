# SPDX-License-Identifier: Apache-2.0
"""Lists by number of elements; bytes and time per element, encoding beside encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.repeated import RepeatedRun
from wirecost.results.report.scenarios.repeated.content import compared_with_protobuf, quotient
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import GREY, keyed, names_down, plot
from wirecost.results.report.shared.figure import WIDTH, Figure

PLAIN, COMPRESSED = "as sent", "after zstd"
SHADES = {"encode": "#56B4E9", "decode": "#D55E00", PLAIN: "#0072B2", COMPRESSED: "#E69F00"}
CELL = 46, 24
"""Pixels."""
MOST_CELLS = 2000
"""Most cells of a figure; more are read in the table."""
FARTHEST = 10.0
"""Ratios beyond it, either way, have the colour of its end."""


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw the matrix, then sizes and times of each list."""
    del results
    drawn = [figure for figure in (heat(rows),) if figure is not None]
    for number, case in enumerate(dict.fromkeys(row.case for row in rows), start=1):
        here = [row for row in rows if row.case == case]
        elements = here[0].run_as(RepeatedRun).elements or 1
        drawn += [_sizes(number, case, here, elements), _times(number, case, here, elements)]
    return drawn


def heat(rows: list[Row]) -> Figure | None:
    """Draw each ratio to Protobuf's best in colours.

    It is None for one cell of a contender, which is no matrix.
    """
    compared = compared_with_protobuf(rows)
    names = list(dict.fromkeys(row.name for row in compared))
    kinds = list(dict.fromkeys(row.variant for row in compared))
    counts = sorted({row.run_as(RepeatedRun).elements for row in compared})
    if len(kinds) * len(counts) < 2 or len(compared) > MOST_CELLS:
        return None
    values = [
        {
            "contender": row.name,
            "list": row.variant,
            "count": f"{row.run_as(RepeatedRun).elements:,}",
            "ratio": min(max(row.ratio_best.median, 1 / FARTHEST), FARTHEST),
            "text": quotient(row.ratio_best.median),
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
        y=names_down("contender", names, ticks=False, domain=False),
    )
    ends = [1 / FARTHEST, 1, FARTHEST]
    shades = ["#56B4E9", "#F5F5F5", "#E69F00"]
    colour = alt.Color(
        "ratio:Q",
        title="time / Protobuf's best",
        scale=alt.Scale(type="log", domain=ends, range=shades, interpolate="rgb"),
        legend=alt.Legend(orient="bottom", gradientLength=200, values=ends, format="~g"),
    )
    tooltip = ["list:N", "contender:N", "count:N", "text:N", "time:N"]
    width, height = CELL[0] * len(counts), CELL[1] * len(names)
    chart = (
        alt.layer(
            base.mark_rect(stroke=GREY, strokeWidth=0.5).encode(color=colour, tooltip=tooltip),
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
    caption = (
        "Time to encode and decode a list, divided by that of Google Protobuf's quickest mode: "
        "blue is quicker, orange slower, and the number is the ratio. Colours end at 10 times."
    )
    return Figure("list-matrix", caption, chart)


def _sizes(number: int, case: str, rows: list[Row], elements: int) -> Figure:
    """Draw each encoding once: reused messages and views of one wire have the same bytes."""
    sizes = {
        row.contender: (row.bytes, row.run_as(RepeatedRun).compressed_bytes)
        for row in rows
        if row.stage == "total" and row.bytes > 0 and row.contender != "wirecost-protobuf"
    }
    bars = [
        {"contender": name, "part": part, "amount": size / elements}
        for name, pair in sizes.items()
        for part, size in zip((PLAIN, COMPRESSED), pair, strict=True)
    ]
    chart = _bars(bars, list(sizes), [PLAIN, COMPRESSED], "bytes per element")
    chart = chart.encode(yOffset=alt.YOffset("part:N", sort=[PLAIN, COMPRESSED]))
    return Figure(
        f"list-sizes-{number}",
        "Bytes of a message divided by its number of elements, as sent and after compression.",
        chart.properties(width=WIDTH, height=alt.Step(16), title=f"Size · {case}"),
    )


def _times(number: int, case: str, rows: list[Row], elements: int) -> Figure:
    """Draw encoding and decoding stacked; fresh Google messages set the scale."""
    bars = [
        {
            "contender": row.name,
            "part": row.stage,
            "amount": row.median_ns / elements,
            "low": row.ci95_ns[0] / elements,
            "high": row.ci95_ns[1] / elements,
        }
        for row in rows
        if row.stage in {"encode", "decode"}
    ]
    names = list(dict.fromkeys(row.name for row in rows))
    chart = _bars(bars, names, ["encode", "decode"], "time per element [ns]")
    return Figure(
        f"list-times-{number}",
        "Median time of a message divided by its number of elements: encoding and decoding.",
        chart.properties(width=WIDTH, height=alt.Step(24), title=f"Time · {case}"),
    )


def _bars(
    bars: Sequence[Mapping[str, Any]], names: list[str], parts: list[str], axis: str
) -> alt.Chart:
    ranked = [{**bar, "rank": parts.index(bar["part"])} for bar in bars]
    amount = alt.Tooltip("amount:Q", format=".4~g", title=axis)
    drawn: alt.Chart = plot(ranked).mark_bar().encode(
        y=names_down("contender", names, ticks=False),
        x=alt.X("amount:Q", title=axis),
        order=alt.Order("rank:Q"),
        color=keyed(alt.Color, "part", parts, [SHADES[part] for part in parts]),
        tooltip=["contender:N", "part:N", amount],
    )  # fmt: skip
    return drawn
