# SPDX-License-Identifier: Apache-2.0
"""Executions that missed a deadline are listed with what they spent beyond the usual."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.causes import explain
from wirecost.results.analysis.misses import missed
from wirecost.results.analysis.probe_sections import summary
from wirecost.results.report.probe.tables import miss_table

COUNT = 200
MS = 1_000_000


def executed(ns: Any, **counters: Any) -> pl.DataFrame:
    columns = {f"counter:{k.replace('_', '-')}": pl.Series(v) for k, v in counters.items()}
    return pl.DataFrame({"ns": np.asarray(ns, np.int64)}).with_columns(
        pl.lit("callback").alias("section"),
        kind=pl.lit("section"),
        process=1,
        thread=1,
        begin_ns=pl.int_range(pl.len(), dtype=pl.Int64) * 10 * MS,
        end_ns=pl.int_range(pl.len(), dtype=pl.Int64) * 10 * MS + np.asarray(ns, np.int64),
        loop=pl.int_range(pl.len(), dtype=pl.UInt64),
        **columns,
    )


def spoiled() -> pl.DataFrame:
    """One waited for a processor, one took 9,000 faults, one took long for no known reason."""
    random = np.random.default_rng(5)
    ns = MS + random.normal(0, 1000, COUNT)
    faults = random.poisson(20, COUNT)
    waited = random.integers(0, 100, COUNT)
    ns[17] += 9 * MS
    waited[17] += 8 * MS
    ns[40] += 20 * MS
    faults[40] = 9014
    ns[90] += 5 * MS
    return executed(ns, minor_faults=faults, run_queue_wait_ns=waited)


def test_each_has_its_reason(snapshot: SnapshotAssertion) -> None:
    table = spoiled()
    misses = missed(table, 2.0 * MS, explain(table), {"minor-fault": 2000.0})
    assert [(miss.loop, miss.reason) for miss in misses] == [
        (40, "9,014 minor-faults"),
        (17, "run-queue-wait-ns"),
        (90, None),
    ]
    assert abs(misses[1].reason_ns - 8 * MS) < 1000
    assert miss_table(misses, 2.0 * MS) == snapshot


def test_without_a_price_there_is_no_reason_but_time() -> None:
    misses = missed(spoiled(), 2.0 * MS, [], {})
    assert [miss.reason for miss in misses] == [None, "run-queue-wait-ns", None]


def test_waits_miss_nothing() -> None:
    waits = spoiled().with_columns(kind=pl.lit("span"))
    assert missed(waits, 1.0, [], {}) == []
    both = pl.concat([spoiled(), waits.with_columns(section=pl.lit("executor idle"))])
    (callback, idle) = summary(both.with_columns(scaled=False), 2.0 * MS)
    assert (callback.misses, idle.misses) == (3, None)


def test_nothing_missed_is_no_table() -> None:
    assert missed(spoiled(), 1000.0 * MS, [], {}) == []
    assert miss_table([], 1.0) is None


def test_many_are_listed_in_part(snapshot: SnapshotAssertion) -> None:
    misses = missed(executed([MS] * COUNT), 1.0, [], {})
    assert len(misses) == COUNT
    with_reason = [replace(miss, reason="run-queue-wait-ns") for miss in misses[:100]]
    table = miss_table([*with_reason, *misses[100:]], 1.0)
    assert table is not None
    assert len(table.rows) == 20
    assert table.notes[-2:] == snapshot
