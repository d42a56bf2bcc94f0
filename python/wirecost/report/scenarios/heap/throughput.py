# SPDX-License-Identifier: Apache-2.0
"""Throughput against threads, a panel a stress."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.shared.figure import PALETTE, Figure
from wirecost.report.shared.legend import keyed

DASHES = {"defaults": [1, 0], "low-fault": [4, 3]}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    of_case = {run["case"]: (run["pattern"], run["threads"]) for run in results.meta["runs"]}
    points = [
        {
            "stress": of_case[row.case][0],
            "threads": of_case[row.case][1],
            "allocator": row.contender,
            "mode": row.mode,
            "rate": 1000 / row.median_ns,
        }
        for row in rows
        if row.variant == "throughput" and row.median_ns
    ]
    if not points:
        return []
    names = list(dict.fromkeys(str(point["allocator"]) for point in points))
    threads = sorted({int(point["threads"]) for point in points})
    base = alt.Chart().encode(
        x=alt.X(
            "threads:Q",
            scale=alt.Scale(type="log", base=2, nice=False, padding=15),
            axis=alt.Axis(values=threads),
        ),
        y=alt.Y("rate:Q", title="million pairs per second"),
        color=keyed(alt.Color, "allocator", names, PALETTE[: len(names)]),
    )
    dash = keyed(alt.StrokeDash, "mode", DASHES, DASHES.values())
    shown = ["allocator:N", "mode:N", "threads:Q", alt.Tooltip("rate:Q", format=".3~g")]
    chart = (
        alt.layer(
            base.mark_line().encode(strokeDash=dash),
            base.mark_point(filled=True, size=40).encode(tooltip=shown, detail="mode:N"),
            data=alt.Data(values=points),
        )
        .properties(width=270, height=180)
        .facet(
            facet=alt.Facet("stress:N", title=None, header=alt.Header(labelColor="#8C8C8C")),
            columns=2,
        )
        .resolve_scale(y="independent")
        .properties(title="Throughput by threads")
    )
    caption = "Pairs of malloc and free per second, all threads together: median of the processes."
    return [Figure("heap-throughput", caption, chart)]
