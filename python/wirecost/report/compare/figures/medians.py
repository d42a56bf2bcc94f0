# SPDX-License-Identifier: Apache-2.0
"""Every median of run B against run A's: a change of the machine moves all points alike."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.compare.comparison import Comparison
from wirecost.report.compare.figures.legends import verdict_colour, verdict_shape
from wirecost.report.compare.rows import Labels
from wirecost.report.shared.figure import WIDTH, Figure

LEAST = 8
"""Rows: the other figures show fewer better."""


def figures(comparison: Comparison, labels: Labels) -> list[Figure]:
    medians = [
        one
        for one in comparison.times
        if one.quantile == "p50" and one.shift.a > 0 and one.shift.b > 0
    ]
    if len(medians) < LEAST:
        return []
    points = [
        {
            "row": labels(one.row),
            "verdict": one.verdict,
            "a": one.shift.a / 1e3,
            "b": one.shift.b / 1e3,
        }
        for one in medians
    ]
    both = [us / 1e3 for one in medians for us in (one.shift.a, one.shift.b)]
    ends = min(both), max(both)
    scale = alt.Scale(type="log", nice=False, padding=12)
    equal = (
        alt.Chart(alt.Data(values=[{"a": end, "b": end} for end in ends]))
        .mark_line(strokeDash=[4, 3], strokeWidth=1, color="#8C8C8C")
        .encode(x="a:Q", y="b:Q")
    )
    dots = (
        alt.Chart(alt.Data(values=points))
        .mark_point(filled=True, size=40, opacity=0.8)
        .encode(
            x=alt.X("a:Q", title="median in A [µs]", scale=scale),
            y=alt.Y("b:Q", title="median in B [µs]", scale=scale),
            color=verdict_colour(),
            shape=verdict_shape(),
            tooltip=[
                "row:N",
                "verdict:N",
                alt.Tooltip("a:Q", format=".4~g"),
                alt.Tooltip("b:Q", format=".4~g"),
            ],
        )
    )
    chart = alt.layer(equal, dots).properties(width=WIDTH, height=400, title="Medians of both runs")
    caption = "One point a row; on the dashed line nothing changed, above it B is slower."
    return [Figure("medians", caption, chart)]
