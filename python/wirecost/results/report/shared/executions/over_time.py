# SPDX-License-Identifier: Apache-2.0
"""Percentiles over time: whether a section becomes slower, or is slow now and then."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from wirecost.results.analysis.execution_series import windows
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import keyed, numbers, plot
from wirecost.results.report.shared.executions.series import (
    Options,
    deadline_rule,
    series_of,
    time_axis,
)
from wirecost.results.report.shared.figure import WIDTH, Figure

LINES = {"p50": "median", "p90": "p90", "p99": "p99", "p100": "max"}
SHADES = ["#0072B2", "#009E73", "#E69F00", "#CC79A7"]
DASHES = [[1, 0], [8, 2], [4, 2], [2, 2]]
WINDOWS = 60
FEWEST = 100
"""Executions in a window; the 99th percentile of fewer is their maximum."""


def figure(name: str, section: str, rows: pl.DataFrame, options: Options) -> Figure | None:
    """Draw percentiles of windows; None where there are too few executions for two."""
    series = [
        candidate for candidate in series_of(rows, options) if len(candidate.ns) >= 2 * FEWEST
    ]
    if not series:
        return None
    axis = time_axis(np.concatenate([entry.ns for entry in series]))
    values, counts = [], []
    for entry in series:
        at = np.arange(len(entry.ns), dtype=np.float64) if entry.at_s is None else entry.at_s
        most = max(2, WINDOWS // len(series))
        for row in windows(at, axis.scaled(entry.ns), [50, 90, 99, 100], most, FEWEST).iter_rows(
            named=True
        ):
            counts.append(row["count"])
            values += [
                {"series": entry.name, "at": row["at"], "line": label, "time": row[key]}
                for key, label in LINES.items()
            ]
    is_timed = series[0].at_s is not None
    x = alt.X(
        "at:Q",
        title="time since the first execution [s]" if is_timed else "callback index",
        scale=alt.Scale(nice=False, padding=8),
        axis=alt.Axis(tickCount=8, labelOverlap="greedy", labelSeparation=6),
    )
    looks = {"columns": 4, "symbolType": "stroke", "symbolSize": 300}
    lines = plot(values).mark_line(point=alt.OverlayMarkDef(size=14))
    layers: list[alt.Chart] = [
        lines.encode(
            x=x,
            y=alt.Y("time:Q", title=axis.title("turnaround time"), scale=axis.scale()),
            color=keyed(alt.Color, "line", LINES.values(), SHADES, **looks),
            strokeDash=keyed(alt.StrokeDash, "line", LINES.values(), DASHES, **looks),
            detail="series:N",
            tooltip=["series:N", "line:N", *numbers("at", "time")],
        )
    ]
    caption = (
        f"Percentiles in windows of {units.span(counts, lambda count: f'{count:,}', ' to ')} "
        "successive executions, drawn at each window's middle."
    )
    if len(series) > 1:
        caption += f" Each {options.by} has lines of its own."
    if options.deadline_ns is not None:
        layers.append(deadline_rule(options, axis, vertical=False))
        caption += " Dashed across: the deadline."
    drawn = alt.layer(*layers).properties(
        width=WIDTH, height=220, title=f"Percentiles over time · {section}"
    )
    return Figure(f"over-time-{name}", caption, drawn)
