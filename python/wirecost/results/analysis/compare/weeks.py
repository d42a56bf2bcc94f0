# SPDX-License-Identifier: Apache-2.0
"""What vehicles' topics cost in each week, over all recordings of it; two weeks of each vehicle."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import polars as pl

from wirecost.results.analysis.compare.costs import TopicChange, cost_changes, sort_changes
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.results.records.stored_costs import TIMES
from wirecost.system.errors import UserError

_KEY = ("vehicle", "week", "topic", "type", "wire")
VehicleWeek = tuple[str, str]


def week_costs(costs: pl.DataFrame) -> dict[VehicleWeek, SystemCost]:
    """Return what a vehicle's topics cost in a week, in order of vehicles and weeks.

    Rates are means over the time of the recordings that have the topic, times over its messages.
    """
    topics = costs.group_by(_KEY, maintain_order=True).agg(
        pl.col("count", "bytes").sum(),
        pl.col("largest_bytes", "subscribers").max(),
        pl.col("has_rate").any(),
        _mean("median_bytes", "count").round().cast(pl.Int64),
        _mean("rate_hz", "duration_s", pl.col("has_rate")).fill_null(0.0),
        *(_mean(name, "count") for name in TIMES),
    )
    recordings = costs.unique("file", maintain_order=True)
    weeks: dict[VehicleWeek, SystemCost] = {}
    for (vehicle, week), rows in sorted(recordings.group_by("vehicle", "week")):
        of_week = topics.filter(vehicle=vehicle, week=week).drop("vehicle", "week")
        found = [msgspec.convert(row, TopicCost) for row in of_week.iter_rows(named=True)]
        weeks[str(vehicle), str(week)] = SystemCost(
            files=rows["recording"].to_list(), lang="", prices={}, is_own=False,
            duration_s=float(rows["duration_s"].sum()),
            topics=sorted(found, key=lambda topic: (-topic.share, -topic.bytes_per_s)),
        )  # fmt: skip
    return weeks


def _mean(name: str, weight: str, among: pl.Expr | None = None) -> pl.Expr:
    """Return the weighted mean of values that are there; null where none is."""
    is_there = pl.col(name).is_not_null() & (pl.lit(True) if among is None else among)
    weights = pl.when(is_there).then(pl.col(weight))
    return ((pl.col(name) * weights).sum() / weights.sum()).fill_nan(None).alias(name)


def week_changes(
    store: str, costs: pl.DataFrame, weeks: tuple[str, str], margin: float
) -> tuple[SystemCost, SystemCost, list[TopicChange]]:
    """Compare each vehicle's second week with its first; both weeks, of all vehicles with both.

    Raises UserError where no vehicle has both.
    """
    by_week = week_costs(costs)
    there = sorted({week for _, week in by_week})
    for name, week in zip(("--baseline", "--against"), weeks, strict=True):
        if week not in there:
            raise UserError(f"{name} {week}: {store} has no recording of it; there are "
                            f"{', '.join(there)}")  # fmt: skip
    before, after = ({v: cost for (v, w), cost in by_week.items() if w == week} for week in weeks)
    both = [vehicle for vehicle in before if vehicle in after]
    if not both:
        raise UserError(f"{store}: no vehicle has recordings of both weeks; choose others")
    changes = [
        replace(change, vehicle=vehicle if len(by_week) > len(there) else "")
        for vehicle in both
        for change in cost_changes(before[vehicle], after[vehicle], margin)
    ]
    whole = [_together([side[vehicle] for vehicle in both]) for side in (before, after)]
    return whole[0], whole[1], sort_changes(changes)


def _together(costs: list[SystemCost]) -> SystemCost:
    """Return several systems as one."""
    first, *others = costs
    return msgspec.structs.replace(
        first, topics=[*first.topics, *(topic for cost in others for topic in cost.topics)]
    )
