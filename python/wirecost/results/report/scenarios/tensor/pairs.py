# SPDX-License-Identifier: Apache-2.0
"""Pairs of processes behind one median: listeners that fell behind, and pairs that differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.results.analysis.backlog import Array, BacklogPair, pairs
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas.tensor import TensorMeta
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Column, Table

BEFORE = ("lateness", "construct")
"""Stages from when a message is due until its object is finished."""
SENDING = ("to_host", "share", "compress", "encode", "publish")
"""Stages from then until the sender's call returned."""
STAGES = (*BEFORE, *SENDING, "total")
BEHIND = "Listeners that fell behind"
DIFFER = "Pairs of processes behind one median"


@dataclass(frozen=True)
class Sent:
    """Messages of one contender with one object, by pair of processes."""

    case: str
    contender: str
    plugin: str
    pairs: list[BacklogPair]

    @property
    def name(self) -> str:
        return f"{self.case} {self.contender} {self.plugin}".rstrip()

    @property
    def fell_behind(self) -> bool:
        return any(pair.fell_behind for pair in self.pairs)

    @property
    def least(self) -> BacklogPair:
        return min(self.pairs, key=lambda pair: pair.median_ns)

    @property
    def most(self) -> BacklogPair:
        return max(self.pairs, key=lambda pair: pair.median_ns)

    @property
    def ratio(self) -> float:
        """Slowest pair's median over the quickest pair's."""
        return self.most.median_ns / self.least.median_ns


def sent(results: Results) -> list[Sent]:
    """Return all that was sent at a rate, one way, in the order of the run."""
    samples = with_all_columns(results.samples).filter(pl.col("stage").is_in(STAGES))
    parts = samples.partition_by("case", "contender", "mode", as_dict=True)
    series = []
    for run in results.meta_as(TensorMeta).runs:
        part = parts.get((run.case, run.contender, run.mode))
        if run.asked_rate and run.pattern == "pubsub" and part is not None:
            by_pair = _pairs(part, 1e9 / run.asked_rate)
            series.append(Sent(run.case, run.contender, run.mode, by_pair))
    return series


def _pairs(samples: pl.DataFrame, period_ns: float) -> list[BacklogPair]:
    messages = (
        samples.pivot("stage", index=["process", "repetition"], values="ns")
        .sort("process", "repetition")
        .fill_null(0)
    )

    def summed(stages: tuple[str, ...]) -> Array:
        there = [name for name in stages if name in messages.columns]
        return messages.select(pl.sum_horizontal(pl.lit(0.0), *there)).to_series().to_numpy()

    due = period_ns * np.arange(len(messages))
    processes = messages["process"].to_numpy().astype(np.int64)
    return pairs(summed(("total",)), due + summed(BEFORE), summed(SENDING), processes)


def behind(all_sent: list[Sent]) -> Table | None:
    """Return listeners that fell behind; None where every one kept up."""
    late = [series for series in all_sent if series.fell_behind]
    columns: list[Column[Sent]] = [
        Column("contender and object", lambda series: series.name),
        Column(
            "pairs",
            lambda series: f"{sum(p.fell_behind for p in series.pairs)} of {len(series.pairs)}",
        ),
        Column("waited", _waited, optional=1),
        Column(
            "fastest pair", lambda series: units.time(series.least.median_ns), "time", optional=2
        ),
        Column("slowest pair", lambda series: units.time(series.most.median_ns), "time"),
        Column("first tenth", lambda series: units.time(series.most.first_ns), "time"),
        Column("last tenth", lambda series: units.time(series.most.last_ns), "time"),
    ]
    notes = [
        "Pairs of processes in which most messages were sent before the listener had received the "
        "one before, and waited. Such a time is mostly that of the queue, and depends on how many "
        "messages were sent: medians and ratios with it say that the listener does not keep up at "
        "this rate, and no more. First and last tenth: medians of the slowest pair's messages."
    ]
    return Table.of(BEHIND, late, columns, notes) if late else None


def _waited(series: Sent) -> str:
    waited, messages = sum(p.waited for p in series.pairs), sum(p.messages for p in series.pairs)
    return f"{waited} of {messages}"


def differing(all_sent: list[Sent]) -> Table | None:
    """Return for each contender the object whose pairs differ most.

    It is None where there are no two pairs of any.
    """
    groups: dict[tuple[str, str], list[Sent]] = {}
    for series in all_sent:
        if len(series.pairs) > 1 and not series.fell_behind:
            groups.setdefault((series.case, series.contender), []).append(series)
    columns: list[Column[list[Sent]]] = [
        Column("contender", lambda of: f"{of[0].case} {of[0].contender}"),
        Column("objects", lambda of: str(len(of)), optional=1),
        Column("ratio", lambda of: units.significant(float(np.median([o.ratio for o in of])))),
        Column("largest", lambda of: units.significant(_worst(of).ratio)),
        Column("object", lambda of: _worst(of).plugin, optional=2),
        Column("fastest", lambda of: units.time(_worst(of).least.median_ns)),
        Column("slowest", lambda of: units.time(_worst(of).most.median_ns)),
    ]
    notes = [
        "The slowest pair's median divided by the fastest's, of the same contender and object: the "
        "objects' median ratio, and the largest with its object and both medians. Pooling the "
        "times of all pairs would hide this. Listeners that fell behind are left out."
    ]
    return Table.of(DIFFER, groups.values(), columns, notes) if groups else None


def _worst(of: list[Sent]) -> Sent:
    return max(of, key=lambda pair: pair.ratio)
