# SPDX-License-Identifier: Apache-2.0
"""What lies behind one median: listeners that fell behind, and pairs of processes that differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.analysis.backlog import Array, Pair, pairs
from wirecost.records.folder import Results
from wirecost.records.scenarios import with_all_columns
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

BEFORE = ("lateness", "construct")
"""From when a message is due until its object is finished."""
SENDING = ("to_host", "share", "compress", "encode", "publish")
"""From then until the sender's call returned."""
STAGES = (*BEFORE, *SENDING, "total")
BEHIND = "Listeners that fell behind"
DIFFER = "Pairs of processes behind one median"


@dataclass(frozen=True)
class Sent:
    """What one contender did with one object, by pair of processes."""

    case: str
    contender: str
    plugin: str
    pairs: list[Pair]

    @property
    def name(self) -> str:
        return f"{self.case} {self.contender} {self.plugin}".rstrip()

    @property
    def fell_behind(self) -> bool:
        return any(pair.fell_behind for pair in self.pairs)

    @property
    def least(self) -> Pair:
        return min(self.pairs, key=lambda pair: pair.median_ns)

    @property
    def most(self) -> Pair:
        return max(self.pairs, key=lambda pair: pair.median_ns)


def sent(results: Results) -> list[Sent]:
    """All that was sent at a rate, one way, in the order of the run."""
    samples = with_all_columns(results.samples).filter(pl.col("stage").is_in(STAGES))
    parts = samples.partition_by("case", "contender", "mode", as_dict=True)
    found = []
    for run in results.meta["runs"]:
        part = parts.get((run["case"], run["contender"], run["mode"]))
        if run["asked_rate"] and run["pattern"] == "pubsub" and part is not None:
            by_pair = _pairs(part, 1e9 / run["asked_rate"])
            found.append(Sent(run["case"], run["contender"], run["mode"], by_pair))
    return found


def _pairs(samples: pl.DataFrame, period_ns: float) -> list[Pair]:
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
    """None where every listener kept up."""
    late = [one for one in all_sent if one.fell_behind]
    if not late:
        return None
    body = [
        [
            one.name,
            f"{sum(pair.fell_behind for pair in one.pairs)} of {len(one.pairs)}",
            f"{sum(pair.waited for pair in one.pairs)} of"
            f" {sum(pair.messages for pair in one.pairs)}",
            units.time(one.least.median_ns),
            units.time(one.most.median_ns),
            units.time(one.most.first_ns),
            units.time(one.most.last_ns),
        ]
        for one in late
    ]
    notes = [
        "Pairs of processes in which most messages were sent before the listener had received the "
        "one before, and waited. Such a time is mostly that of the queue, and depends on how many "
        "messages were sent: medians and ratios with it say that the listener does not keep up at "
        "this rate, and no more. First and last tenth: medians of the slowest pair's messages."
    ]
    headings = [
        "contender and object", "pairs", "waited", "quickest pair", "slowest pair", "first tenth",
        "last tenth",
    ]  # fmt: skip
    bars = (("quickest pair", "slowest pair", "first tenth", "last tenth"),)
    return Table(BEHIND, headings, body, notes, ("waited", "quickest pair"), bars)


def differing(all_sent: list[Sent]) -> Table | None:
    """A row for each contender: the object whose pairs differ most. None where there are no
    two pairs of any."""
    several = [one for one in all_sent if len(one.pairs) > 1 and not one.fell_behind]
    body = []
    for case, contender in dict.fromkeys((one.case, one.contender) for one in several):
        mine = [one for one in several if (one.case, one.contender) == (case, contender)]
        ratios = sorted(one.most.median_ns / one.least.median_ns for one in mine)
        worst = max(mine, key=lambda one: one.most.median_ns / one.least.median_ns)
        body.append(
            [
                f"{case} {contender}",
                str(len(mine)),
                units.significant(float(np.median(ratios))),
                units.significant(ratios[-1]),
                worst.plugin,
                units.time(worst.least.median_ns),
                units.time(worst.most.median_ns),
            ]
        )
    if not body:
        return None
    notes = [
        "Slowest pair's median over the quickest pair's, of the same contender and object: the "
        "objects' median ratio, and the largest with its object and both medians. Times of all "
        "pairs in one pool do not show it. Listeners that fell behind are left out."
    ]
    headings = ["contender", "objects", "ratio", "largest", "object", "quickest", "slowest"]
    return Table(DIFFER, headings, body, notes, ("objects", "object"))
