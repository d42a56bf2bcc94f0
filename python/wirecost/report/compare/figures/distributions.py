# SPDX-License-Identifier: Apache-2.0
"""How all times of a row are distributed in both runs, down to the tail."""

from __future__ import annotations

import altair as alt
import numpy as np

from wirecost.analysis.compare.comparison import Comparison
from wirecost.analysis.compare.runs import Array, Key
from wirecost.report.compare.figures.legends import RUNS, run_colour
from wirecost.report.compare.rows import Labels, most_changed_rows
from wirecost.report.shared.figure import WIDTH, Figure

MOST = 6
POINTS = 150


def figures(comparison: Comparison, labels: Labels) -> list[Figure]:
    rows = most_changed_rows(comparison, MOST)
    return [
        _figure(number, labels(row), comparison.series(row))
        for number, row in enumerate(rows, start=1)
        if _tellable(comparison, row)
    ]


def _tellable(comparison: Comparison, row: Key) -> bool:
    return all(len(ns) > 1 and ns.min() > 0 for ns in comparison.series(row))


def _figure(number: int, label: str, series: tuple[Array, Array]) -> Figure:
    points = [
        {"run": run, "us": ns / 1e3, "beyond": beyond}
        for run, times in zip(RUNS, series, strict=True)
        for ns, beyond in _tail(times)
    ]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("us:Q", title="time [µs]", scale=alt.Scale(type="log", nice=False, padding=12)),
        y=alt.Y(
            "beyond:Q",
            title="share of samples that took longer",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~g", tickCount=5),
        ),
        color=run_colour(),
        strokeDash=alt.StrokeDash(
            "run:N", title=None, scale=alt.Scale(domain=list(RUNS), range=[[1, 0], [6, 3]])
        ),
        tooltip=[
            "run:N",
            alt.Tooltip("us:Q", format=".4~g"),
            alt.Tooltip("beyond:Q", format=".3~g"),
        ],
    )
    chart = base.mark_line(interpolate="step-after", strokeWidth=2).properties(
        width=WIDTH, height=220, title=f"Distribution · {label}"
    )
    return Figure(
        f"distribution-{number}",
        "For each time, the share of samples above it; a line to the right is slower.",
        chart,
    )


def _tail(times: Array) -> list[tuple[float, float]]:
    """Points of the complementary distribution, denser in the tail; as many as are needed."""
    ordered = np.sort(times)
    n = len(ordered)
    ranks = np.unique(
        np.concatenate(
            [
                np.linspace(0, n - 1, POINTS).astype(np.int64),
                n - 1 - np.geomspace(1, n, POINTS).astype(np.int64).clip(0, n - 1),
                [n - 1],
            ]
        )
    )
    return [(float(ordered[r]), (n - r) / n) for r in ranks]
