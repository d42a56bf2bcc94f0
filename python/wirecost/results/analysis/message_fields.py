# SPDX-License-Identifier: Apache-2.0
"""Shares of a message's time that its fields take: how much quicker the message is without one.

The same program is run with and without the field, in turns, so nothing is added that would be
measured too. Shares of fields need not add up to that of all at once; the difference is the
method's error.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from wirecost.results.analysis.race import Race
from wirecost.results.records.schemas.message import TAKEN_OUT, TOGETHER, WITHOUT

STAGES = ("encode", "decode", "total")


@dataclass(frozen=True)
class Share:
    """Share of a stage's time, with its 95 % interval; below zero where noise is larger than it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class FieldShares:
    """One contender's, ``mode`` included in its name; by field and stage."""

    contender: str
    of: dict[tuple[str, str], Share]

    def error(self, stage: str) -> float | None:
        """Return what the outermost fields' shares add up to, less that of all of them at once."""
        together = self.of.get((TOGETHER, stage))
        parts = [
            share.value
            for (field, of), share in self.of.items()
            if of == stage and field != TOGETHER and "." not in field
        ]
        return None if together is None else sum(parts) - together.value


def shares(samples: pl.DataFrame) -> list[FieldShares]:
    """Return shares of every contender from whose messages fields were taken out."""
    without_field = samples.filter(pl.col("variant") == TAKEN_OUT)
    if without_field.is_empty():
        return []
    race = Race(without_field)
    per_contender = []
    for contender, mode in race.names:
        if WITHOUT in mode:
            continue
        whole = (contender, mode)
        of = {}
        for name in race.names:
            if name[0] != contender or not name[1].startswith(mode + WITHOUT):
                continue
            for stage in STAGES:
                ratio = race.ratio(name, stage, whole)
                if ratio is not None:
                    low, high = ratio.ci95
                    field = name[1].partition(WITHOUT)[2]
                    of[field, stage] = Share(1 - ratio.median, 1 - high, 1 - low)
        per_contender.append(FieldShares(f"{contender} {mode}", of))
    return per_contender
