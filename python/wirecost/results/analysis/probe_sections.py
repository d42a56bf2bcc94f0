# SPDX-License-Identifier: Apache-2.0
"""Times of the sections of probe logs."""

from __future__ import annotations

from dataclasses import dataclass

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
    return [
        _summary(str(section), rows, deadline_ns, counters)
        for (section,), rows in executed.group_by(["section"], maintain_order=True)
    ]


def _summary(
    section: str, rows: pl.DataFrame, deadline_ns: float | None, counters: list[str]
) -> SectionSummary:
    ns = rows["ns"].sort()
    return SectionSummary(
        section=section,
        count=len(ns),
        percentiles_ns={percent: percentile(ns, percent) for percent in PERCENTILES},
        maximum_ns=int(ns[-1]),
        misses=_misses(rows, deadline_ns),
        scaled=int(rows["scaled"].sum()),
        counters={name.removeprefix(COUNTER): _counter(rows[name]) for name in counters},
        total_ns=int(ns.cast(pl.Float64).sum()),
        rate_hz=_rate(rows["begin_ns"]),
    )


def _rate(begin_ns: pl.Series) -> float | None:
    seconds = (int(begin_ns.max()) - int(begin_ns.min())) / 1e9  # type: ignore[arg-type]
    return (len(begin_ns) - 1) / seconds if seconds > 0 else None


def _misses(rows: pl.DataFrame, deadline_ns: float | None) -> int | None:
    times = turnarounds(rows)
    if deadline_ns is None or times.is_empty():
        return None
    return int((times["ns"] > deadline_ns).sum())


def percentile(ns: pl.Series, percent: float) -> float | None:
    """Return a percentile of sorted ``ns``.

    It is None where too few lie beyond it to distinguish it from the maximum.
    """
    if percent > 50 and len(ns) * (100 - percent) < 100 - 1e-6:
        return None
    return ns.cast(pl.Float64).quantile(percent / 100, "linear")


def _counter(values: pl.Series) -> CounterSummary:
    values = values.drop_nulls()
    if values.is_empty():
        return CounterSummary(None, None, 0)
    mean = float(values.cast(pl.Float64).to_numpy().mean())
    return CounterSummary(mean, int(values.to_numpy().max()), len(values))
