# SPDX-License-Identifier: Apache-2.0
"""Lists by number of elements; bytes and time per element, encoding beside encoding."""

from __future__ import annotations

from typing import Any

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.lists.matrix import heat
from wirecost.report.shared.figure import WIDTH, Figure
from wirecost.report.shared.legend import keyed

PLAIN, COMPRESSED = "as sent", "after zstd"
SHADES = {"encode": "#56B4E9", "decode": "#D55E00", PLAIN: "#0072B2", COMPRESSED: "#E69F00"}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    del results
    made = [figure for figure in (heat(rows),) if figure is not None]
    for number, case in enumerate(dict.fromkeys(row.case for row in rows), start=1):
        here = [row for row in rows if row.case == case]
        elements = here[0].facts["elements"] or 1
        made.append(_sizes(number, case, here, elements))
        made.append(_times(number, case, here, elements))
    return made


def _sizes(number: int, case: str, rows: list[Row], elements: int) -> Figure:
    """Once an encoding: reused messages and views of one wire have the same bytes."""
    sizes = {
        row.contender: (row.bytes, row.facts["compressed_bytes"] or 0)
        for row in rows
        if row.stage == "total" and row.bytes > 0 and row.contender != "wirecost-protobuf"
    }
    bars = [
        {"contender": name, "part": part, "amount": size / elements}
        for name, pair in sizes.items()
        for part, size in zip((PLAIN, COMPRESSED), pair, strict=True)
    ]
    chart = _chart(bars, list(sizes), [PLAIN, COMPRESSED], "bytes per element")
    chart = chart.encode(yOffset=alt.YOffset("part:N", sort=[PLAIN, COMPRESSED]))
    return Figure(
        f"list-sizes-{number}",
        "Bytes of a message divided by its number of elements, as sent and after compression.",
        chart.properties(width=WIDTH, height=alt.Step(16), title=f"Size · {case}"),
    )


def _times(number: int, case: str, rows: list[Row], elements: int) -> Figure:
    """Encoding and decoding stacked; fresh Google messages set the scale."""
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
    chart = _chart(bars, names, ["encode", "decode"], "time per element [ns]")
    return Figure(
        f"list-times-{number}",
        "Median time of a message divided by its number of elements: encoding and decoding.",
        chart.properties(width=WIDTH, height=alt.Step(24), title=f"Time · {case}"),
    )


def _chart(bars: list[dict[str, Any]], names: list[str], parts: list[str], axis: str) -> alt.Chart:
    ranked = [bar | {"rank": parts.index(bar["part"])} for bar in bars]
    chart: alt.Chart = (
        alt.Chart(alt.Data(values=ranked))
        .mark_bar()
        .encode(
            y=alt.Y("contender:N", sort=names, title=None, axis=alt.Axis(ticks=False)),
            x=alt.X("amount:Q", title=axis),
            order=alt.Order("rank:Q"),
            color=keyed(alt.Color, "part", parts, [SHADES[part] for part in parts]),
            tooltip=["contender:N", "part:N", alt.Tooltip("amount:Q", format=".4~g", title=axis)],
        )
    )
    return chart
