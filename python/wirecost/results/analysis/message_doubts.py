# SPDX-License-Identifier: Apache-2.0
"""Totals of a message that contradict the other times of the same run, and so support no advice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from wirecost.results.analysis.summary import Row

MOST_OFF = 0.2
"""Share of its total by which the sum of a contender's stages may differ from it."""
MOST_APART = 2.0
"""Times as long as in the quickest process a total may take in the slowest."""
TOTAL = "total"

Key = tuple[str, str]
"""Language and name of a contender."""


@dataclass(frozen=True)
class Doubt:
    """Nanoseconds per message.

    ``stages``: sum of the stages' medians where it is too far from the total, else None;
    ``processes``: the least and the greatest median of a process where they are too far apart, else
    None.
    """

    name: str
    total: float
    stages: float | None
    processes: tuple[float, float] | None

    @property
    def factor(self) -> float:
        """Factor by which its time may be wrong, up or down."""
        factor = 1.0
        if self.stages:
            factor = max(self.stages / self.total, self.total / self.stages)
        if self.processes is not None and self.processes[0] > 0:
            factor = max(factor, self.processes[1] / self.processes[0])
        return factor


def is_in_doubt(row: Row, doubted: Mapping[Key, Doubt]) -> bool:
    """Return whether a row's ratio may be on the other side of 1, by its doubts and its interval.

    A row without another to compare with is in doubt if its own time is."""
    own = doubted.get((row.lang, row.name))
    if row.ratio is None or row.ratio.to == row.name:
        return own is not None
    both = [doubt for doubt in (own, doubted.get((row.lang, row.ratio.to))) if doubt]
    wrong = math.prod(doubt.factor for doubt in both)
    low, high = row.ratio.ci95
    return bool(both) and low / wrong <= 1 <= high * wrong


def doubts(rows: Iterable[Row], samples: pl.DataFrame) -> dict[Key, Doubt]:
    """Return the contenders whose total is in doubt. ``rows``, ``samples``: of whole messages."""
    totals: dict[Key, float] = {}
    sums: dict[Key, float] = {}
    for row in rows:
        key = row.lang, row.name
        if row.stage == TOTAL:
            totals[key] = row.median_ns
        else:
            sums[key] = sums.get(key, 0.0) + row.median_ns
    apart = process_ends(samples)
    by_contender = {}
    for key, total in totals.items():
        stages, ends = sums.get(key), apart.get(key)
        is_off = stages is not None and abs(stages - total) > MOST_OFF * total
        is_apart = ends is not None and ends[1] > MOST_APART * ends[0]
        if is_off or is_apart:
            by_contender[key] = Doubt(
                key[1], total, stages if is_off else None, ends if is_apart else None
            )
    return by_contender


def process_ends(samples: pl.DataFrame) -> dict[Key, tuple[float, float]]:
    """Return the least and the greatest of the processes' median totals, in all races."""
    who = ["lang", "contender", "mode"]
    totals = samples.filter(pl.col("stage") == TOTAL)
    medians = totals.group_by(*who, "variant", "process").agg(pl.median("ns"))
    ends = medians.group_by(who).agg(low=pl.min("ns"), high=pl.max("ns"))
    return {
        (lang, " ".join(part for part in (contender, mode) if part)): (low, high)
        for lang, contender, mode, low, high in ends.select(*who, "low", "high").iter_rows()
    }
