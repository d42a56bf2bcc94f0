# SPDX-License-Identifier: Apache-2.0
"""What a figure of latencies shows: measured boxes and floors.

Every mark is one row of the chart's data, a dictionary; times are microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from wirecost.analysis.summary import Row
from wirecost.report.scenarios.tensor.contenders import (
    RAW,
    SHM,
    VARIANTS,
    Group,
    array_bytes,
    is_floor,
    is_wrapyfi,
    library,
    ordered,
    plugin_of,
)
from wirecost.report.shared.log_axes import domain
from wirecost.report.shared.units import size

OURS, OTHER, THEIRS = "wirecost", "wirecost, other variant", "Wrapyfi, measured here"
OWN_FLOOR, SHM_FLOOR = "same library, bytes alone", "shared memory, one copy"
QUANTILES = {"p5": 0.05, "q1": 0.25, "q3": 0.75, "p95": 0.95}
Mark = dict[str, Any]


@dataclass(frozen=True)
class Latencies:
    """One figure: all plugins and contenders of one group and shape."""

    title: str
    plugins: list[str]
    contenders: list[str]
    """Those that send objects, the quickest first."""
    boxes: list[Mark]
    floors: list[Mark]
    samples: int
    """At least so many messages are behind each box."""

    @property
    def span(self) -> list[float]:
        """Of the time axis."""
        found = [box[name] for box in self.boxes for name in ("p5", "p95")]
        found += [mark["us"] for mark in self.floors]
        return domain([us for us in found if us > 0])


def latencies(group: Group, shape: str, samples: pl.DataFrame, rows: list[Row]) -> Latencies:
    """``rows``: the totals of the group and shape, objects and floors."""
    objects = [row for row in rows if plugin_of(row)]
    plugins = list(dict.fromkeys(plugin_of(row) for row in objects))
    contenders = ordered(objects, list(dict.fromkeys(row.contender for row in objects)))
    panels = {library(name) for name in contenders}
    what = "One-way latency" if group.pattern == "pubsub" else "Round-trip latency"
    totals = samples.filter(
        pl.col("stage") == "total",
        pl.col("shape") == shape,
        *(pl.col(name) == value for name, value in vars(group).items()),
    )
    return Latencies(
        title=f"{what} · {shape} {group.title}, {size(array_bytes(objects[0]))}",
        plugins=plugins,
        contenders=contenders,
        boxes=_boxes(objects, totals),
        floors=_floors([row for row in rows if is_floor(row)], panels),
        samples=min(row.n for row in objects),
    )


def _boxes(objects: list[Row], totals: pl.DataFrame) -> list[Mark]:
    samples = dict(totals.group_by(["contender", "plugin"]))
    return [
        _box(row, samples[row.contender, plugin_of(row)]["ns"])
        for row in objects
        if row.median_ns > 0
    ]


def _box(row: Row, ns: pl.Series) -> Mark:
    times = {name: float(ns.quantile(q, "linear") or 0) for name, q in QUANTILES.items()}
    times |= {"median": row.median_ns, "low": row.ci95_ns[0], "high": row.ci95_ns[1]}
    ours = OTHER if row.contender in VARIANTS else OURS
    return {
        "mware": row.contender,
        "library": library(row.contender),
        "plugin": plugin_of(row),
        "who": THEIRS if is_wrapyfi(row.contender) else ours,
        # Two machines' clocks may differ by more than a message takes, and the axis knows no zero.
        **{name: max(time, row.median_ns / 100) / 1000 for name, time in times.items()},
    }


def _floors(floors: list[Row], libraries: set[str]) -> list[Mark]:
    """A library's own floor in its panel, that of shared memory in every panel."""
    return [
        {
            "library": name,
            "floor": SHM_FLOOR if row.contender == SHM else OWN_FLOOR,
            "mware": row.contender,
            "us": row.median_ns / 1000,
        }
        for row in floors
        if row.median_ns > 0 and (row.contender == SHM or row.contender.startswith(RAW))
        for name in sorted(libraries)
        if name == library(row.contender) or row.contender == SHM
    ]
