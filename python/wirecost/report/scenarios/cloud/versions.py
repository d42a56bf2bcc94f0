# SPDX-License-Identifier: Apache-2.0
"""The versions of a callback beside each other: boxes, or every callback where there are few."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl

from wirecost.analysis.summary import Row
from wirecost.report.scenarios.cloud.growth import PLAIN
from wirecost.report.shared import units
from wirecost.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.report.shared.legend import keyed
from wirecost.report.shared.log_axes import MICROSECONDS, domain, ticks

ENOUGH = 40
"""Callbacks; of fewer, the 5th and 95th percentile are hardly more than the ends."""
ROW = 28
"""Pixels of a version."""
QUANTILES = {"low": 0.05, "q1": 0.25, "median": 0.5, "q3": 0.75, "high": 0.95}
Mark = dict[str, str | float]


def callbacks(number: int, case: str, samples: pl.DataFrame) -> Figure | None:
    """Every version's callbacks of one case, on one logarithmic axis that holds all of them."""
    timed = samples.filter(pl.col("ns") > 0).with_columns(
        version=pl.format("{} {}", "contender", "mode"), us=pl.col("ns").cast(pl.Float64) / 1000
    )
    if timed.is_empty():
        return None
    parts = timed.partition_by("version", maintain_order=True)
    least = min(map(len, parts))
    boxes: list[Mark] = [_box(part) for part in parts]
    every: list[Mark] = [
        {"version": str(part["version"][0]), "us": us, "time": units.time(1000 * us)}
        for part in parts
        for us in sorted(part["us"].to_list())[0 if least < ENOUGH else -1 :]
    ]
    span = domain([*(float(mark["us"]) for mark in every), *(float(b["low"]) for b in boxes)])
    names = [str(box["version"]) for box in boxes]
    layers = _boxes(boxes) if least >= ENOUGH else _medians(boxes)
    dots = alt.Chart(alt.Data(values=every)).mark_point(
        size=26, filled=least < ENOUGH, color=PALETTE[0], opacity=0.8
    )
    layers.append(
        dots.encode(y=_version(names), x=_time("us", span), tooltip=["version:N", "time:N"])
    )
    encoded = [layer.encode(y=_version(names)) for layer in layers]
    chart = alt.layer(*encoded).properties(
        width=WIDTH, height=ROW * len(names), title=f"Time per callback · {case}"
    )
    chart = chart.encode(x=_time("median", span))
    return Figure(f"cloud-versions-{number}", _caption(least), chart)


def cases(rows: list[Row], colours: Mapping[str, str]) -> Figure | None:
    """The median of every version in every case, without the heap library."""
    found = [row for row in rows if row.mode == PLAIN and row.median_ns > 0]
    names = list(dict.fromkeys(row.contender for row in found))
    if len(names) < 2:
        return None
    points: list[Mark] = [
        {
            "case": row.case.removeprefix("area, ").replace(" % inside", " %"),
            "version": row.contender,
            "us": row.median_ns / 1000,
            "time": units.time(row.median_ns),
        }
        for row in found
    ]
    order = list(dict.fromkeys(str(point["case"]) for point in points))
    span = domain([float(point["us"]) for point in points])
    chart = (
        alt.Chart(alt.Data(values=points))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            y=alt.Y("case:N", sort=order, title=None, axis=alt.Axis(grid=True, ticks=False)),
            x=_time("us", span),
            color=keyed(alt.Color, "version", names, [colours.get(n, "#8C8C8C") for n in names]),
            tooltip=["case:N", "version:N", "time:N"],
        )
        .properties(
            width=WIDTH, height=ROW * len(order), title="Detection areas: time per callback"
        )
    )
    return Figure(
        "cloud-areas",
        "Medians, on a logarithmic axis. Every case is a row: points of the cloud, vertices of an "
        "area, share of the points inside, and whether all of them are found or the first one.",
        chart,
    )


def _box(part: pl.DataFrame) -> Mark:
    found = {name: float(part["us"].quantile(q, "linear") or 0) for name, q in QUANTILES.items()}
    return {"version": part["version"][0], "label": units.time(1000 * found["median"]), **found}


def _boxes(boxes: list[Mark]) -> list[alt.Chart]:
    base = alt.Chart(alt.Data(values=boxes))
    return [
        base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q"),
        base.mark_bar(height=12, color=PALETTE[1]).encode(x="q1:Q", x2="q3:Q"),
        *_medians(boxes),
    ]


def _medians(boxes: list[Mark]) -> list[alt.Chart]:
    base = alt.Chart(alt.Data(values=boxes))
    return [
        base.mark_tick(thickness=3, size=18, color=PALETTE[3]).encode(x="median:Q"),
        base.mark_text(dy=-13, fontSize=11).encode(x="median:Q", text="label:N"),
    ]


def _version(names: list[str]) -> alt.Y:
    return alt.Y("version:N", sort=names, title=None, axis=alt.Axis(grid=True, ticks=False))


def _time(field: str, span: list[float]) -> alt.X:
    return alt.X(
        f"{field}:Q",
        title="time per callback",
        scale=alt.Scale(type="log", domain=span, nice=False),
        axis=alt.Axis(values=ticks(span), labelExpr=MICROSECONDS),
    )


def _caption(least: int) -> str:
    if least < ENOUGH:
        return (
            f"Every dot is one callback, the line across them their median. {least} callbacks of a "
            "version are too few for quartiles; measure more for a conclusion about slow ones. The "
            "axis is logarithmic."
        )
    return (
        "Box: first to third quartile; line across it: median; thin line: 5th to 95th percentile; "
        f"circle: the slowest callback. At least {least:,} callbacks of each version. The axis is "
        "logarithmic and holds every value."
    )
