# SPDX-License-Identifier: Apache-2.0
"""Turnaround time against the callback index: every execution, or the envelope of many."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from wirecost.results.analysis.execution_series import envelope
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import Mark, numbers, plot
from wirecost.results.report.shared.executions.series import (
    ExecutionSeries,
    Options,
    TimeAxis,
    colour,
    deadline_rule,
    series_of,
    time_axis,
)
from wirecost.results.report.shared.figure import WIDTH, Figure

MOST = 1500
"""Executions drawn one by one; more become about that many minima and maxima in all."""
HEIGHT = 260
INDEX = alt.X(
    "index:Q",
    title="callback index",
    scale=alt.Scale(nice=False, padding=6),
    axis=alt.Axis(tickCount=10, tickMinStep=1, labelOverlap="greedy"),
)


def figure(name: str, section: str, rows: pl.DataFrame, options: Options) -> Figure:
    """Draw the executions of one section."""
    series = series_of(rows, options)
    ns = np.concatenate([entry.ns for entry in series])
    axis = time_axis(ns)
    every = len(ns) <= MOST
    layers = _every(series, axis) if every else _envelopes(series, axis)
    caption = "Every execution in the order of its start."
    if not every:
        caption = (
            f"Of {len(ns):,} executions in the order of their start: each vertical line spans the "
            "shortest to the longest of successive ones, so no outlier is lost; the line through "
            "them is the median."
        )
    if options.deadline_ns is not None:
        layers.append(deadline_rule(options, axis, vertical=False))
        late = int((ns > options.deadline_ns).sum())
        caption += (
            f" Dashed: the deadline of {units.time(options.deadline_ns)}, missed {late:,} times."
        )
    if axis.logarithmic:
        caption += " The time axis is logarithmic, because the longest are far from the median."
    if ends := _ends(series):
        layers += ends
        caption += " Dotted: the records of a process end there, because later ones did not fit."
    drawn = alt.layer(*layers).properties(
        width=WIDTH, height=HEIGHT, title=f"Turnaround time · {section}"
    )
    return Figure(f"turnaround-{name}", caption, drawn)


def _every(series: list[ExecutionSeries], axis: TimeAxis) -> list[alt.Chart]:
    values = [
        {"series": entry.name, "index": i, "time": float(time)}
        for entry in series
        for i, time in enumerate(axis.scaled(entry.ns))
    ]
    title = axis.title("turnaround time")
    base = plot(values).encode(
        x=INDEX, y=alt.Y("time:Q", title=title, scale=axis.scale()), color=colour(series)
    )
    tooltip = ["series:N", "index:Q", alt.Tooltip("time:Q", format=".4~g", title=title)]
    return [
        base.mark_line(strokeWidth=0.6, opacity=0.5),
        base.mark_point(filled=True, size=9, opacity=0.9).encode(tooltip=tooltip),
    ]


def _envelopes(series: list[ExecutionSeries], axis: TimeAxis) -> list[alt.Chart]:
    values: list[Mark] = []
    for entry in series:
        buckets = max(1, MOST // 2 // len(series))
        for row in envelope(axis.scaled(entry.ns), buckets).iter_rows(named=True):
            values.append({"series": entry.name, "index": (row["first"] + row["last"]) / 2, **row})
    base = plot(values).encode(x=INDEX, color=colour(series))
    y = alt.Y("low:Q", title=axis.title("turnaround time"), scale=axis.scale())
    tooltip = ["series:N", "first:Q", "last:Q", *numbers("low", "middle", "high")]
    return [
        base.mark_rule(opacity=0.8, strokeWidth=1.2).encode(y=y, y2="high:Q", tooltip=tooltip),
        base.mark_line(strokeWidth=1.5).encode(y=alt.Y("middle:Q")),
    ]


def _ends(series: list[ExecutionSeries]) -> list[alt.Chart]:
    """Mark where a series ends although its program went on."""
    values = [
        {"series": entry.name, "index": len(entry.ns)}
        for entry in series
        if "dropped" in entry.name
    ]
    if not values:
        return []
    base = plot(values).encode(x=INDEX, color=colour(series))
    return [base.mark_rule(strokeDash=[2, 3], strokeWidth=1.5).encode(tooltip=["series:N"])]
