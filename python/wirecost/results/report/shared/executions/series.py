# SPDX-License-Identifier: Apache-2.0
"""The executions of a section as series with colours and a time axis, for all figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import log, plot
from wirecost.results.report.shared.figure import PALETTE

COLOURS = [PALETTE[i] for i in (0, 4, 2, 5, 1, 7)]
"""Neighbours apart; without the one of deadlines."""
LATE = "#D55E00"
LOGARITHMIC_FROM = 6
"""Times the median: a maximum beyond would press everything else onto the axis."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Options:
    """Options of the figures beside the times."""

    deadline_ns: float | None = None
    by: str = "process"
    """The column whose values are series of their own, in a colour each."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Number of records of each series that were not kept."""


@dataclass(frozen=True)
class ExecutionSeries:
    """The executions of one section that belong together, in the order of their begin."""

    name: str
    ns: Array
    at_s: Array | None
    """When each began, in seconds since the section's first; none where that was not recorded."""


@dataclass(frozen=True)
class TimeAxis:
    """The unit for a section's times, and whether the longest need a logarithmic axis."""

    factor: float
    unit: str
    logarithmic: bool

    def scaled(self, ns: Array) -> Array:
        """Return times in the unit; a logarithmic axis begins at 1 ns."""
        return (np.maximum(ns, 1) if self.logarithmic else ns) / self.factor

    def title(self, what: str) -> str:
        return f"{what} [{self.unit}]"

    def scale(self) -> alt.Scale:
        if self.logarithmic:
            return log(padding=8)
        return alt.Scale(zero=True)


def series_of(rows: pl.DataFrame, options: Options) -> list[ExecutionSeries]:
    """Return a series for each value of ``Options.by``; of many, those with fewest rows as one."""
    if "begin_ns" in rows.columns:
        rows = rows.sort("begin_ns", maintain_order=True)
    if options.by not in rows.columns:
        return [_series(options.by, rows, rows)]
    parts = rows.partition_by(options.by, maintain_order=True)
    if len(parts) > len(COLOURS):
        parts.sort(key=len, reverse=True)
        own, other = parts[: len(COLOURS) - 1], parts[len(COLOURS) - 1 :]
        rest = _series(f"{len(other)} more", pl.concat(other), rows)
        return [*(_series(_name(part, options), part, rows) for part in own), rest]
    return [_series(_name(part, options), part, rows) for part in parts]


def _name(part: pl.DataFrame, options: Options) -> str:
    key = str(part[options.by][0])
    dropped = options.dropped.get(key, 0)
    return f"{options.by} {key}" + (f", {dropped:,} dropped" if dropped else "")


def _series(name: str, part: pl.DataFrame, rows: pl.DataFrame) -> ExecutionSeries:
    at = None
    if "begin_ns" in rows.columns:
        at = (part["begin_ns"] - rows["begin_ns"].min()).cast(pl.Float64).to_numpy() / 1e9
    return ExecutionSeries(name, part["ns"].cast(pl.Float64).to_numpy(), at)


def time_axis(ns: Array) -> TimeAxis:
    """Choose the unit of the median, or one between it and a longest that is far from it."""
    median, longest = max(float(np.median(ns)), 1.0), float(ns.max())
    logarithmic = longest > LOGARITHMIC_FROM * median
    typical = math.sqrt(median * longest) if logarithmic else median
    factor, unit = next(
        (u for u in reversed(units.TIME_UNITS) if typical >= u[0]), units.TIME_UNITS[0]
    )
    return TimeAxis(factor, unit, logarithmic)


def colour(series: list[ExecutionSeries]) -> alt.Color:
    """Give each series a colour; a legend only where there are several or one lost something."""
    names = [entry.name for entry in series]
    shades = [COLOURS[i] for i in range(len(names))]
    has_legend = len(names) > 1 or "dropped" in names[0]
    legend = alt.Legend(
        orient="bottom", columns=3, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1
    )
    return alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=names, range=shades),
        legend=legend if has_legend else None,
    )


def deadline_rule(options: Options, axis: TimeAxis, *, vertical: bool) -> alt.Chart:
    """Draw a line at the deadline, across a figure whose times go up or, ``vertical``, right."""
    deadline = options.deadline_ns or 0.0
    mark = {"at": deadline / axis.factor, "label": f"deadline {units.time(deadline)}"}
    where = alt.X("at:Q") if vertical else alt.Y("at:Q")
    rule = plot([mark]).mark_rule(color=LATE, strokeDash=[6, 3], strokeWidth=1.5)
    drawn: alt.Chart = rule.encode(where, tooltip=["label:N"])
    return drawn
