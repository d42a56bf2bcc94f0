# SPDX-License-Identifier: Apache-2.0
"""Distribution of executions' times: a histogram, and the curve out to its tail."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
import polars as pl

from wirecost.results.analysis.execution_series import histogram, tail
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import keyed, log, numbers, plot
from wirecost.results.report.shared.executions.series import (
    COLOURS,
    Array,
    Options,
    TimeAxis,
    deadline_rule,
    time_axis,
)
from wirecost.results.report.shared.figure import WIDTH, Figure, shades

BINS = 80
POINTS = 400
HEIGHT = 260
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 4], [4, 1])
PERCENTILES = (50.0, 99.0, 99.9, 99.99)
SHARES = {
    1: "all", 0.5: "p50", 0.1: "p90", 0.01: "p99", 0.001: "p99.9", 1e-4: "p99.99",
    1e-5: "p99.999", 1e-6: "p99.9999",
}  # fmt: skip
"""Labels of the shares that took at least that long."""


def figure(name: str, section: str, rows: pl.DataFrame, options: Options) -> Figure | None:
    """Draw how many executions of one section took how long; None where all took as long."""
    ns = rows["ns"].cast(pl.Float64).to_numpy()
    if ns.min() == ns.max():
        return None
    axis = time_axis(ns)
    upper, lower = _histogram(ns, axis), _tail(ns, axis)
    caption = (
        "Above: number of executions by their time, on a logarithmic axis. Below: the share of "
        "executions that took at least that long; the steps at the right are the tail."
    )
    if options.deadline_ns is not None:
        low, high = _ends(ns, axis)
        if low <= options.deadline_ns / axis.factor <= high:
            upper.append(deadline_rule(options, axis, vertical=True))
            lower.append(deadline_rule(options, axis, vertical=True))
            caption += f" Dashed: the deadline of {units.time(options.deadline_ns)}."
        else:
            caption += f" The deadline of {units.time(options.deadline_ns)} lies beyond the axis."
    drawn = alt.vconcat(
        alt.layer(*upper).properties(width=WIDTH, height=150, title=f"Distribution · {section}"),
        alt.layer(*lower).properties(width=WIDTH, height=230),
        spacing=8,
    ).resolve_scale(x="shared")
    return Figure(f"distribution-{name}", caption, drawn)


def latencies(
    name: str,
    title: str,
    series: Mapping[str, Array],
    deadline_ns: float | None = None,
    *,
    what: str = "turnaround time",
    of: str = "executions",
) -> Figure:
    """Draw several series' empirical distributions, out to their tails; times in nanoseconds.

    ``series``: by name, none of them empty; ``what``: the time, and ``of`` what, in words.
    """
    every = np.concatenate(list(series.values()))
    axis = time_axis(every)
    points = [
        {"series": label, **row}
        for label, ns in series.items()
        for row in tail(axis.scaled(ns), max(40, POINTS // len(series))).to_dicts()
    ]
    low, high = _ends(every, axis)
    deadline = None if deadline_ns is None else deadline_ns / axis.factor
    if deadline is not None:
        low, high = min(low, 0.9 * deadline), max(high, 1.1 * deadline)
    names = list(series)
    looks = {"columns": 3, "symbolType": "stroke", "symbolSize": 300}
    layers = [
        plot(points)
        .mark_line(interpolate="step-before", strokeWidth=2)
        .encode(
            x=_times(axis.title(what), axis, low, high),
            y=_shares(max(map(len, series.values()))),
            color=keyed(alt.Color, "series", names, shades(len(names)), **looks),
            strokeDash=keyed(alt.StrokeDash, "series", names, _dashes(len(names)), **looks),
            tooltip=["series:N", *numbers("y", "share")],
        )
    ]
    caption = (
        f"For each time, the share of {of} that took at least that long; a line further left is "
        "faster; its steps at the bottom are the slowest ones."
    )
    if deadline_ns is not None:
        layers.append(deadline_rule(Options(deadline_ns), axis, vertical=True))
        caption += f" Dashed: the deadline of {units.time(deadline_ns)}."
    drawn = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)
    return Figure(name, caption, drawn)


def _dashes(count: int) -> list[list[int]]:
    return [DASHES[i % len(DASHES)] for i in range(count)]


def _histogram(ns: Array, axis: TimeAxis) -> list[alt.Chart]:
    bars = histogram(axis.scaled(ns), BINS, axis.logarithmic)
    most = max(2, int(bars["count"].to_numpy().max()))
    ticks = [m * 10**e for e in range(12) for m in ((1, 2, 5) if most < 100 else (1,))]
    marks = plot(bars.to_dicts()).mark_bar(color=COLOURS[0])
    hidden = alt.Axis(labels=False, tickCount=8)
    return [
        marks.encode(
            x=alt.X("low:Q", title=None, scale=_scale(axis, *_ends(ns, axis)), axis=hidden),
            x2="high:Q",
            y=alt.Y(
                "count:Q",
                title="executions",
                scale=log(domain=[0.5, 1.3 * most]),
                axis=alt.Axis(values=[tick for tick in ticks if tick <= most], format="~s"),
            ),
            y2=alt.Y2Datum(0.5),
            tooltip=numbers("low", "high", "count", form=".5~g"),
        )
    ]


def _tail(ns: Array, axis: TimeAxis) -> list[alt.Chart]:
    curve = tail(axis.scaled(ns), POINTS).to_dicts()
    share = _shares(len(ns))
    x = _times(axis.title("turnaround time"), axis, *_ends(ns, axis))
    tooltip = [alt.Tooltip("y:Q", format=".5~g", title=axis.unit), *numbers("share")]
    line = plot(curve).mark_line(interpolate="step-before", color=COLOURS[0])
    base = plot(_marked(ns, axis)).encode(x=x, y=share, tooltip=["label:N"])
    dots = base.mark_point(filled=True, size=40, color=COLOURS[1])
    # Whatever lies right of a falling line is free.
    text = base.mark_text(align="left", dx=7, dy=-7, fontSize=11).encode(text="label:N")
    return [line.encode(x=x, y=share, tooltip=tooltip), dots, text]


def _shares(count: int) -> alt.Y:
    """Return a logarithmic axis of shares, down to that of one of ``count`` executions."""
    labels = "".join(f"datum.value == {share} ? '{label}' : " for share, label in SHARES.items())
    return alt.Y(
        "share:Q",
        title="share that took at least that long",
        scale=log(domain=[0.7 / count, 1]),
        axis=alt.Axis(
            values=[share for share in SHARES if share >= 0.999 / count], labelExpr=labels + "''"
        ),
    )


def _times(title: str, axis: TimeAxis, low: float, high: float) -> alt.X:
    return alt.X(
        "y:Q",
        title=title,
        scale=_scale(axis, low, high),
        axis=alt.Axis(tickCount=8, labelOverlap="greedy", labelSeparation=8),
    )


def _marked(ns: Array, axis: TimeAxis) -> list[dict[str, float | str]]:
    """Return the percentiles that enough executions lie beyond, and the maximum."""
    percents = [p for p in PERCENTILES if p == 50 or len(ns) * (100 - p) >= 100 - 1e-6]
    marks: list[dict[str, float | str]] = [
        {
            "y": float(axis.scaled(np.array([value]))[0]),
            "share": 1 - percent / 100,
            "label": f"{units.percentile_title(percent)} {units.time(value)}",
        }
        for percent, value in zip(percents, np.percentile(ns, percents), strict=True)
    ]
    longest = float(ns.max())
    label = f"max {units.time(longest)}"
    return [*marks, {"y": longest / axis.factor, "share": 1 / len(ns), "label": label}]


def _scale(axis: TimeAxis, low: float, high: float) -> alt.Scale:
    if axis.logarithmic:
        return log(domain=[low, high])
    return alt.Scale(domain=[low, high], nice=False, zero=False)


def _ends(ns: Array, axis: TimeAxis) -> tuple[float, float]:
    """Span from the shortest to so far beyond the longest that its label fits, in the axis unit."""
    low, high = (float(v) for v in axis.scaled(np.array([ns.min(), ns.max()])))
    if axis.logarithmic:
        return low, high * (high / low) ** 0.2
    spread = max(high - low, abs(high) * 1e-3, 1e-3)
    return low - 0.02 * spread, high + 0.2 * spread
