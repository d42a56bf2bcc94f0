# SPDX-License-Identifier: Apache-2.0
"""Figures of two runs side by side.

Colours never stand alone: verdicts have shapes too, and A lies above B.
"""

from __future__ import annotations

import altair as alt
import numpy as np

from wirecost.results.analysis.compare.comparison import (
    FASTER,
    SAME,
    SLOWER,
    UNDECIDED,
    Comparison,
    TimeChange,
)
from wirecost.results.analysis.compare.runs import Array
from wirecost.results.report.compare.rows import Labels, most_changed_rows
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import GREY, Mark, keyed, log, names_down, numbers, plot
from wirecost.results.report.shared.figure import WIDTH, Figure

VERDICTS = (SLOWER, FASTER, SAME, UNDECIDED)
VERDICT_COLOURS = ["#D55E00", "#0072B2", "#8C8C8C", "#999933"]
VERDICT_SHAPES = ["triangle-up", "triangle-down", "circle", "cross"]
RUNS = ("A", "B")
RUN_COLOURS = ["#56B4E9", "#E69F00"]
MOST_CHANGES, MOST_SPREADS, MOST_DISTRIBUTIONS = 24, 30, 6
"""Percentiles and rows that are drawn."""
LEAST_RATIO = 1e-3
"""Drawn for less, which a logarithmic axis needs."""
QUANTILES = {"p5": 0.05, "q1": 0.25, "median": 0.5, "q3": 0.75, "p95": 0.95}
POINTS = 150
LEAST_MEDIANS = 8
"""Rows: the other figures show fewer better."""


def comparison_figures(comparison: Comparison) -> list[Figure]:
    """Draw all figures that have something to show."""
    labels = Labels(comparison)
    figures = [
        _changes(comparison, labels),
        _spreads(comparison, labels),
        *_distributions(comparison, labels),
        _medians(comparison, labels),
    ]
    return [figure for figure in figures if figure is not None]


def _verdict_colour() -> alt.Color:
    return keyed(alt.Color, "verdict", VERDICTS, VERDICT_COLOURS)


def _verdict_shape() -> alt.Shape:
    return keyed(alt.Shape, "verdict", VERDICTS, VERDICT_SHAPES)


def _run_colour() -> alt.Color:
    return keyed(alt.Color, "run", RUNS, RUN_COLOURS)


def _ratio_axis(field: str, title: str) -> alt.X:
    return alt.X(f"{field}:Q", title=title, scale=log(padding=12), axis=alt.Axis(format="~g"))


def _rows_down(rows: list[Mark]) -> alt.Y:
    names = list(dict.fromkeys(row["row"] for row in rows))
    return names_down("row", names, ticks=False, domain=False, labelLimit=420)


def _changes(comparison: Comparison, labels: Labels) -> Figure | None:
    """Draw the change of each percentile with its interval, the largest first."""
    able = [change for change in comparison.times if change.shift.ci95 is not None]
    if not able:
        return None
    able.sort(
        key=lambda change: (change.verdict not in {SLOWER, FASTER}, -abs(change.shift.change or 0))
    )
    drawn = sorted(able[:MOST_CHANGES], key=lambda change: -(change.shift.change or 0))
    margin = comparison.settings.margin
    points = [_change_point(change, labels) for change in drawn]
    base = plot(points).encode(y=_rows_down(points))
    tooltip = ["row:N", "verdict:N", *numbers("ratio", "low", "high", form=".3~g")]
    band = (
        plot([{"from": 1 / (1 + margin), "to": 1 + margin}])
        .mark_rect(color=GREY, opacity=0.15)
        .encode(x=alt.X("from:Q"), x2="to:Q")
    )
    spans = base.mark_rule(strokeWidth=2).encode(
        x=_ratio_axis("low", "time in B / time in A"),
        x2="high:Q",
        color=_verdict_colour(),
        tooltip=tooltip,
    )
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        x="ratio:Q", color=_verdict_colour(), shape=_verdict_shape(), tooltip=tooltip
    )
    equal = plot([{"at": 1}]).mark_rule(strokeDash=[4, 3]).encode(x="at:Q")
    caption = (
        f"Lines: 95 % intervals. Grey: the margin of {100 * margin:g} %, within which nothing "
        "counts as a change."
    )
    if len(able) > MOST_CHANGES:
        caption += f" The {MOST_CHANGES} of {len(able):,} with a verdict or the largest change."
    layers = alt.layer(band, equal, spans, dots).properties(
        width=WIDTH, height=alt.Step(18), title="Change of each percentile"
    )
    return Figure("changes", caption, layers)


def _change_point(change: TimeChange, labels: Labels) -> Mark:
    low, high = change.shift.ci95 or (0.0, 0.0)
    return {
        "row": f"{labels(change.row)} · {change.quantile}",
        "verdict": change.verdict,
        "ratio": max(LEAST_RATIO, 1 + (change.shift.change or 0.0)),
        "low": max(LEAST_RATIO, 1 + low),
        "high": max(LEAST_RATIO, 1 + high),
    }


def _spreads(comparison: Comparison, labels: Labels) -> Figure | None:
    """Draw a box for each row of A above one for B."""
    rows = [
        row
        for row in most_changed_rows(comparison, MOST_SPREADS)
        # A logarithmic axis has no 0.
        if all(np.quantile(ns, QUANTILES["p5"]) > 0 for ns in comparison.series(row))
    ]
    boxes: list[Mark] = []
    for row in rows:
        unit = float(np.median(comparison.series(row)[0]))
        for run, ns in zip(RUNS, comparison.series(row), strict=True):
            times = {name: float(np.quantile(ns, q)) for name, q in QUANTILES.items()}
            box = {name: time / unit for name, time in times.items()}
            named = {"row": labels(row), "run": run, "median time": units.time(times["median"])}
            boxes.append(box | named)
    if not boxes:
        return None
    base = plot(boxes).encode(
        y=_rows_down(boxes),
        yOffset=alt.YOffset("run:N", sort=list(RUNS)),
        color=_run_colour(),
        tooltip=["row:N", "run:N", alt.Tooltip("median time:N"), *numbers(*QUANTILES)],
    )
    layers = alt.layer(
        base.mark_rule(strokeWidth=1.5).encode(
            x=_ratio_axis("p5", "time / median in A"), x2="p95:Q"
        ),
        base.mark_bar(height=8).encode(x="q1:Q", x2="q3:Q"),
        base.mark_tick(thickness=3, height=13).encode(x="median:Q"),
    ).properties(width=WIDTH, height=alt.Step(13), title="Both runs, row by row")
    total = len({change.row for change in comparison.times})
    caption = (
        "Boxes from first to third quartile, lines from the 5th to the 95th percentile, marks at "
        "the medians; A above B, both over the median of A."
    )
    caption += f" {len(rows)} of {total:,} rows." if len(rows) < total else ""
    return Figure("spreads", caption, layers)


def _distributions(comparison: Comparison, labels: Labels) -> list[Figure]:
    """Draw how all times of a row are distributed in both runs, down to the tail."""
    rows = most_changed_rows(comparison, MOST_DISTRIBUTIONS)
    return [
        _distribution(number, labels(row), comparison.series(row))
        for number, row in enumerate(rows, start=1)
        if all(len(ns) > 1 and ns.min() > 0 for ns in comparison.series(row))
    ]


def _distribution(number: int, label: str, series: tuple[Array, Array]) -> Figure:
    points = [
        {"run": run, "us": ns / 1e3, "beyond": beyond}
        for run, times in zip(RUNS, series, strict=True)
        for ns, beyond in _tail(times)
    ]
    dash = alt.StrokeDash(
        "run:N", title=None, scale=alt.Scale(domain=list(RUNS), range=[[1, 0], [6, 3]])
    )
    lines = plot(points).mark_line(interpolate="step-after", strokeWidth=2)
    drawn = lines.encode(
        x=alt.X("us:Q", title="time [µs]", scale=log(padding=12)),
        y=alt.Y(
            "beyond:Q",
            title="share of samples that took longer",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~g", tickCount=5),
        ),
        color=_run_colour(),
        strokeDash=dash,
        tooltip=["run:N", *numbers("us"), *numbers("beyond", form=".3~g")],
    ).properties(width=WIDTH, height=220, title=f"Distribution · {label}")
    caption = "For each time, the share of samples above it; a line to the right is slower."
    return Figure(f"distribution-{number}", caption, drawn)


def _tail(times: Array) -> list[tuple[float, float]]:
    """Return points of the complementary distribution, denser in the tail, as many as needed."""
    ordered = np.sort(times)
    n = len(ordered)
    even = np.linspace(0, n - 1, POINTS).astype(np.int64)
    tail = n - 1 - np.geomspace(1, n, POINTS).astype(np.int64).clip(0, n - 1)
    ranks = np.unique(np.concatenate([even, tail, [n - 1]]))
    return [(float(ordered[r]), (n - r) / n) for r in ranks]


def _medians(comparison: Comparison, labels: Labels) -> Figure | None:
    """Draw every median of B against A's: a change of the machine moves all points alike."""
    medians = [
        change
        for change in comparison.times
        if change.quantile == "p50" and change.shift.a > 0 and change.shift.b > 0
    ]
    if len(medians) < LEAST_MEDIANS:
        return None
    points = [
        {
            "row": labels(change.row),
            "verdict": change.verdict,
            "a": change.shift.a / 1e3,
            "b": change.shift.b / 1e3,
        }
        for change in medians
    ]
    both = [us / 1e3 for change in medians for us in (change.shift.a, change.shift.b)]
    scale = log(padding=12)
    equal = (
        plot([{"a": end, "b": end} for end in (min(both), max(both))])
        .mark_line(strokeDash=[4, 3], strokeWidth=1, color=GREY)
        .encode(x="a:Q", y="b:Q")
    )
    dots = (
        plot(points)
        .mark_point(filled=True, size=40, opacity=0.8)
        .encode(
            x=alt.X("a:Q", title="median in A [µs]", scale=scale),
            y=alt.Y("b:Q", title="median in B [µs]", scale=scale),
            color=_verdict_colour(),
            shape=_verdict_shape(),
            tooltip=["row:N", "verdict:N", *numbers("a", "b")],
        )
    )
    layers = alt.layer(equal, dots).properties(
        width=WIDTH, height=400, title="Medians of both runs"
    )
    caption = "One point a row; on the dashed line nothing changed, above it B is slower."
    return Figure("medians", caption, layers)
