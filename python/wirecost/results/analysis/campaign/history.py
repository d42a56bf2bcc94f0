# SPDX-License-Identifier: Apache-2.0
"""A machine's medians run by run, and where they changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from wirecost.results.analysis.campaign.change_points import (
    ENOUGH,
    Array,
    change_points,
    probability,
)
from wirecost.results.analysis.campaign.subjects import Subject, described, name_of
from wirecost.results.analysis.intervals import RESAMPLES, SEED, Estimate
from wirecost.results.analysis.race import Name
from wirecost.results.analysis.significance import adjusted

FALSE_DISCOVERIES = 0.05
TOGETHER, LEAST_TOGETHER = 0.8, 4
"""Such a share of a machine's series, and so many, make a change of the machine likely."""


@dataclass(frozen=True)
class Point:
    """One run: its median in ns with the 95 % interval that it gave itself."""

    task: str
    created: str
    revision: str
    median: Estimate


@dataclass(frozen=True)
class HistoryChange:
    """``at``: the first point of the new level.

    ``factor``: of its median to that before; ``q``: how likely by chance, considering all series.
    """

    at: int
    factor: Estimate
    q: float


@dataclass(frozen=True)
class HistorySeries:
    subject: Subject
    host: str
    name: Name
    points: list[Point]
    changes: list[HistoryChange] = field(default_factory=list)


@dataclass(frozen=True)
class MovedTogether:
    """A run with which so many of a machine's series changed."""

    host: str
    created: str
    revision: str
    changed: int
    of: int


def history(records: pl.DataFrame, rows: pl.LazyFrame) -> list[HistorySeries]:
    """Return series of every subject, contender and machine, in the order of the runs.

    Each has its changes.
    """
    columns = ["task", "scenario", "options", "host", "created", "revision"]
    tasks = described(records).select(columns).filter(pl.col("created") != "")
    measured = (
        rows.filter(pl.col("stage") == "total")
        .select("task", "case", "contender", "mode", "median_ns", "low_ns", "high_ns")
        .join(tasks.lazy(), on="task")
        .sort("created", "task")
        .collect()
    )
    keys = ["scenario", "case", "options", "host", "contender", "mode"]
    histories = []
    for key, part in measured.sort(*keys, maintain_order=True).group_by(keys, maintain_order=True):
        named = dict(zip(keys, key, strict=True))
        subject = Subject(str(named["scenario"]), str(named["case"]), str(named["options"]))
        points = [
            Point(task, created, revision, Estimate(median, low, high))
            for task, created, revision, median, low, high in part.select(
                "task", "created", "revision", "median_ns", "low_ns", "high_ns"
            ).iter_rows()
        ]
        histories.append(HistorySeries(subject, str(named["host"]), name_of(named), points))
    return _searched(histories)


def moved_together(series: list[HistorySeries]) -> list[MovedTogether]:
    """Return the runs with which nearly all series of a machine changed."""
    long = Counter(entry.host for entry in series if len(entry.points) >= ENOUGH)
    changed = Counter(
        (entry.host, entry.points[change.at].created[:10], entry.points[change.at].revision)
        for entry in series
        for change in entry.changes
    )
    return [
        MovedTogether(host, created, revision, count, long[host])
        for (host, created, revision), count in sorted(changed.items())
        if count >= LEAST_TOGETHER and count >= TOGETHER * long[host]
    ]


def _searched(series: list[HistorySeries]) -> list[HistorySeries]:
    values = [np.array([point.median.value for point in entry.points]) for entry in series]
    likely = [probability(some)[0] for some in values]
    searched = []
    for entry, some, q in zip(series, values, adjusted(likely), strict=True):
        if q > FALSE_DISCOVERIES or len(some) < ENOUGH:
            searched.append(entry)
            continue
        bounds = [0, *change_points(some), len(some)]
        changes = [
            HistoryChange(at, _factor(some[before:at], some[at:after]), q)
            for before, at, after in zip(bounds, bounds[1:], bounds[2:], strict=False)
        ]
        searched.append(replace(entry, changes=changes))
    return searched


def _factor(before: Array, after: Array) -> Estimate:
    random = np.random.default_rng(SEED)
    medians = [
        np.median(random.choice(part, (RESAMPLES, len(part))), axis=1) for part in (before, after)
    ]
    low, high = np.percentile(medians[1] / medians[0], [2.5, 97.5])
    return Estimate(float(np.median(after) / np.median(before)), float(low), float(high))
