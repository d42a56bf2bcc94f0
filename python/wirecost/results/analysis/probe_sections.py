# SPDX-License-Identifier: Apache-2.0
"""Times of the sections of probe logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from wirecost.results.analysis.ros_names import STATEMENT
from wirecost.results.records.probe_log import COUNTER

PERCENTILES = (50.0, 95.0, 99.0, 99.9, 99.99)


@dataclass(frozen=True)
class CounterSummary:
    """A counter over a section's executions; all null where it had no value in any."""

    mean: float | None
    maximum: int | None
    counted: int
    """Number of executions in which it had a value."""


@dataclass(frozen=True)
class SectionSummary:
    """One section over all threads. Times in nanoseconds.

    A percentile is null where too few executions lie beyond it to distinguish it from the maximum.
    """

    section: str
    count: int
    percentiles_ns: dict[float, float | None]
    maximum_ns: int
    misses: int | None
    """Turnarounds longer than the deadline; null without a deadline and where none is one."""
    scaled: int
    """Executions whose counters are estimates."""
    counters: dict[str, CounterSummary]
    total_ns: int = 0
    rate_hz: float | None = None
    """Rate from the start of the first execution to that of the last; null of one alone."""


def executions(events: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each execution of a section or a span, with its time in column ``ns``.

    Without what programs say of their messages (``ros_names.STATEMENT``).

    The time from a mark to the next one of the same thread, section and loop is an execution of
    ``<section> <part>→<part>``; counters are null there.
    """
    sections = events.filter(
        pl.col("kind") != "mark", ~pl.col("section").str.contains(STATEMENT.pattern)
    ).with_columns(ns=pl.col("end_ns") - pl.col("begin_ns"))
    following = pl.col("part", "begin_ns", "loop").shift(-1).over("process", "thread", "section")
    marks = (
        events.filter(kind="mark")
        .with_columns(following.name.prefix("next_"))
        .filter(pl.col("next_loop") == pl.col("loop"))
        .with_columns(
            section=pl.format("{} {}→{}", "section", "part", "next_part"),
            end_ns=pl.col("next_begin_ns"),
            ns=pl.col("next_begin_ns") - pl.col("begin_ns"),
        )
        .drop("next_part", "next_begin_ns", "next_loop")
    )
    return pl.concat([sections, marks])


def turnarounds(executed: pl.DataFrame) -> pl.DataFrame:
    """Return what can miss a deadline: callbacks and sections of a program, from begin to end.

    A wait, the time between marks and an executor that is idle cannot.
    """
    return executed.filter(kind="section")


def summary(executed: pl.DataFrame, deadline_ns: float | None = None) -> list[SectionSummary]:
    """Return every section of ``executions``, in the order of its first one."""
    counters = [name for name in executed.columns if name.startswith(COUNTER)]
    ns, is_turnaround = pl.col("ns"), pl.col("kind") == "section"
    exact = ns.cast(pl.Float64)
    late = ns > (float("inf") if deadline_ns is None else deadline_ns)
    sections = executed.group_by("section", maintain_order=True).agg(
        pl.len().alias("count"),
        *(exact.quantile(percent / 100, "linear").alias(f"p{percent}") for percent in PERCENTILES),
        ns.max().alias("maximum_ns"),
        exact.sum().alias("total_ns"),
        is_turnaround.any().alias("has_turnarounds"),
        (is_turnaround & late).sum().alias("misses"),
        pl.col("scaled").sum(),
        pl.col("begin_ns").min().alias("first_ns"),
        pl.col("begin_ns").max().alias("last_ns"),
        *(pl.col(name).cast(pl.Float64).mean().name.prefix("mean ") for name in counters),
        *(pl.col(name).max().name.prefix("maximum ") for name in counters),
        *(pl.col(name).count().name.prefix("counted ") for name in counters),
    )
    return [_summary(row, counters, deadline_ns) for row in sections.iter_rows(named=True)]


def _summary(row: dict[str, Any], counters: list[str], deadline_ns: float | None) -> SectionSummary:
    count, seconds = row["count"], (row["last_ns"] - row["first_ns"]) / 1e9
    return SectionSummary(
        section=row["section"],
        count=count,
        percentiles_ns={
            percent: row[f"p{percent}"] if _is_distinct(percent, count) else None
            for percent in PERCENTILES
        },
        maximum_ns=row["maximum_ns"],
        misses=row["misses"] if deadline_ns is not None and row["has_turnarounds"] else None,
        scaled=row["scaled"],
        counters={
            name.removeprefix(COUNTER): CounterSummary(
                row[f"mean {name}"], row[f"maximum {name}"], row[f"counted {name}"]
            )
            for name in counters
        },
        total_ns=int(row["total_ns"]),
        rate_hz=(count - 1) / seconds if seconds > 0 else None,
    )


def _is_distinct(percent: float, count: int) -> bool:
    """Say whether enough of so many lie beyond a percentile to distinguish it from the maximum."""
    return percent <= 50 or count * (100 - percent) >= 100 - 1e-6


def percentile(ns: pl.Series, percent: float) -> float | None:
    """Return a percentile of sorted ``ns``.

    It is None where too few lie beyond it to distinguish it from the maximum.
    """
    if not _is_distinct(percent, len(ns)):
        return None
    return ns.cast(pl.Float64).quantile(percent / 100, "linear")
