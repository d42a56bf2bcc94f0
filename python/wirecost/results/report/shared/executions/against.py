# SPDX-License-Identifier: Apache-2.0
"""Turnaround time against each counter and the value, with the line through it."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from wirecost.results.analysis.causes import FEWEST
from wirecost.results.analysis.causes.followed import CHANCE, NOTABLE
from wirecost.results.analysis.causes.kinds import INPUT
from wirecost.results.analysis.causes.linear import Line, line
from wirecost.results.analysis.execution_series import thinned
from wirecost.results.records.probe_log import COUNTER
from wirecost.results.report.shared.axes import plot
from wirecost.results.report.shared.causes import price
from wirecost.results.report.shared.executions.series import (
    COLOURS,
    LATE,
    Array,
    Options,
    TimeAxis,
    time_axis,
)
from wirecost.results.report.shared.figure import WIDTH, Figure

MOST = 500
"""Points of a panel."""
COLUMNS = 2
PANEL = (WIDTH - 70) // COLUMNS


def figure(name: str, section: str, rows: pl.DataFrame, options: Options) -> Figure | None:
    """Draw a panel for each number that differs between executions; None where none does."""
    del options
    names = [n for n in rows.columns if n.startswith(COUNTER)]
    names = [n for n in (*names, INPUT) if n in rows.columns]
    ns = rows["ns"].cast(pl.Float64).to_numpy()
    axis = time_axis(ns)
    panels, same, absent = [], [], []
    thin = False
    for column in names:
        label = column.removeprefix(COUNTER)
        numbers = rows[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        has = np.isfinite(numbers)
        if not has.any():
            absent.append(label)
        elif np.ptp(numbers[has]) == 0:
            same.append(f"{label} ({numbers[has][0]:,.6g})")
        else:
            panels.append(_panel(label, numbers[has], ns[has], axis))
            thin |= int(has.sum()) > MOST
    if not panels:
        return None
    chart = alt.concat(*panels, columns=COLUMNS, spacing=24).properties(
        title=f"Time against counters · {section}"
    )
    return Figure(f"against-{name}", _caption(len(ns), thin, same, absent), chart)


def _fit(x: Array, ns: Array) -> tuple[Line, str] | None:
    """Fit a line through all.

    Where a few spikes hide it, through all but the slowest 1 %, and a star. None where the time
    does not go along with x.
    """
    if len(x) < FEWEST:
        return None
    usual = ns <= np.percentile(ns, 99)
    for chosen, star in ((slice(None), ""), (usual, "*")):
        fit = line(x[chosen], ns[chosen])
        if fit is not None and fit.explained >= max(NOTABLE, CHANCE / len(x)):
            return fit, star
    return None


def _panel(name: str, x: Array, ns: Array, axis: TimeAxis) -> alt.LayerChart | alt.FacetChart:
    at = thinned(x, ns, MOST)
    heights = axis.scaled(ns[at]).tolist()
    points = [{"x": x, "y": y} for x, y in zip(x[at].tolist(), heights, strict=True)]
    scale = alt.Scale(zero=False, nice=False, padding=6)
    marks = plot(points).mark_point(filled=True, size=14, opacity=0.6, color=COLOURS[0], clip=True)
    layers = [
        marks.encode(
            x=alt.X("x:Q", title=name, scale=scale, axis=_number_axis(x)),
            y=alt.Y("y:Q", title=axis.title("time"), scale=_time_scale(ns, axis)),
            tooltip=[
                alt.Tooltip("x:Q", title=name),
                alt.Tooltip("y:Q", format=".4~g", title=axis.unit),
            ],
        )
    ]
    title = f"{name}: no relation"
    if (fitted := _fit(x, ns)) is not None:
        fit, star = fitted
        title = f"{name}: {price(fit.slope, name)}, R² {fit.explained:.2f}{star}"
        layers.append(_line(fit, x, axis))
    return alt.layer(*layers).properties(
        width=PANEL,
        height=190,
        title=alt.TitleParams(title, fontSize=12, fontWeight="normal"),
    )


def _time_scale(ns: Array, axis: TimeAxis) -> alt.Scale:
    low, high = (float(v) for v in axis.scaled(np.array([ns.min(), ns.max()])))
    if axis.logarithmic:
        return alt.Scale(type="log", domain=[0.9 * low, 1.1 * max(high, 2 * low)], nice=True)
    # Points at the end of an axis would be cut through.
    return alt.Scale(domain=[min(0.0, low), 1.05 * max(high, 1 / axis.factor)], nice=True)


def _number_axis(x: Array) -> alt.Axis:
    """Label whole numbers alone, thousands by a letter where they would not fit."""
    low, high = float(x.min()), float(x.max())
    if high - low <= 5:
        return alt.Axis(values=[low + i for i in range(int(high - low) + 1)], format=",~f")
    far = max(abs(low), abs(high)) >= 1e5
    return alt.Axis(tickCount=5, tickMinStep=1, format="~s" if far else ",~f")


def _line(fit: Line, x: Array, axis: TimeAxis) -> alt.Chart:
    """Draw the line, straight or bent by a logarithmic axis."""
    at = np.linspace(x.min(), x.max(), 40 if axis.logarithmic else 2)
    ns = fit.slope * at + fit.offset
    drawn = ns >= 1 if axis.logarithmic else np.isfinite(ns)
    values = [
        {"x": x, "y": y / axis.factor}
        for x, y in zip(at[drawn].tolist(), ns[drawn].tolist(), strict=True)
    ]
    drawn = plot(values).mark_line(color=LATE, strokeWidth=2, clip=True)
    curve: alt.Chart = drawn.encode(x="x:Q", y="y:Q")
    return curve


def _caption(count: int, thin: bool, same: list[str], absent: list[str]) -> str:
    text = (
        "Line: least-squares fit through all executions, for each counter alone; R²: the share "
        "of the variance that it explains; *: fitted without the slowest 1 %."
    )
    if thin:
        text += (
            f" Drawn of {count:,} executions: the shortest and longest of each interval of the "
            "horizontal axis, and evenly chosen others."
        )
    if same:
        text += f" Always the same: {', '.join(same)}."
    if absent:
        text += f" Not available: {', '.join(absent)}."
    return text
