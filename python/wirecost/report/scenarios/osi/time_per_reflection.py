# SPDX-License-Identifier: Apache-2.0
"""Time per reflection against the number of reflections, if more than one was measured."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.osi.growth import ways
from wirecost.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.report.shared.legend import keyed


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    counts = {run["case"]: run["reflections"] for run in results.meta["runs"]}
    how = {run["case"]: ways(run) for run in results.meta["runs"]}
    made = []
    for number, (variant, build, way) in enumerate(
        dict.fromkeys((row.variant, row.build, how[row.case]) for row in rows), start=1
    ):
        points = [
            {
                "contender": row.name,
                "reflections": counts[row.case],
                "ns": row.median_ns / counts[row.case],
                "low": row.ci95_ns[0] / counts[row.case],
                "high": row.ci95_ns[1] / counts[row.case],
            }
            for row in rows
            if (row.variant, row.build, how[row.case]) == (variant, build, way)
            and row.stage == "total"
            and counts[row.case] > 0
        ]
        if len({point["reflections"] for point in points}) > 1:
            made.append(_figure(number, f"{variant} · {build}{way}", points))
    return made


def _figure(number: int, title: str, points: list[dict[str, str | float]]) -> Figure:
    names = list(dict.fromkeys(str(point["contender"]) for point in points))
    shades = [PALETTE[i % len(PALETTE)] for i in range(len(names))]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X(
            "reflections:Q",
            title="reflections in a message",
            scale=alt.Scale(type="log", nice=False, padding=30),
            axis=alt.Axis(values=sorted({float(p["reflections"]) for p in points}), format=",d"),
        ),
        color=keyed(alt.Color, "contender", names, shades, columns=3),
    )
    vertical = alt.Y("ns:Q", title="total time per reflection [ns]", scale=alt.Scale(type="log"))
    tooltip = ["contender:N", "reflections:Q", alt.Tooltip("ns:Q", format=".4~g")]
    chart = alt.layer(
        base.mark_line().encode(y=vertical),
        base.mark_point(filled=True, size=60).encode(
            y=vertical, shape=alt.Shape("contender:N", legend=None), tooltip=tooltip
        ),
        base.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q"),
    ).properties(width=WIDTH, height=320, title=f"Time per reflection · {title}")
    return Figure(
        name=f"time-per-reflection-{number}",
        caption="Total time of a step over its number of reflections, with 95 % intervals. A flat "
        "line means that cost grows in proportion.",
        chart=chart,
    )
