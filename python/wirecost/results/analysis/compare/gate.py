# SPDX-License-Identifier: Apache-2.0
"""Rows that a gate with a limit looked at, and what of them may lie beyond the limit unseen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wirecost.results.analysis.compare.comparison import (
    FASTER,
    FEWER,
    MORE,
    QUANTILES,
    SLOWER,
    Comparison,
)
from wirecost.results.analysis.compare.quantiles import NOTHING
from wirecost.results.analysis.compare.runs import Key

MEDIAN = "p50"


@dataclass(frozen=True)
class Gated:
    """A row that a gate looked at.

    ``change`` and ``change95``: shares; None where there is no value or no interval. ``noise``: the
    share by which two runs of A differ.
    """

    row: Key
    what: str
    change: float | None
    change95: tuple[float, float] | None
    verdict: str
    regression: bool
    noise: float = 0.0

    @property
    def grew(self) -> bool:
        """For sure, by however little."""
        return self.verdict in {SLOWER, MORE}

    @property
    def highest(self) -> float:
        """The largest growth that the measurement leaves possible."""
        return math.inf if self.change95 is None else self.change95[1]

    def is_undecided(self, limit: float) -> bool:
        """Say whether it may have grown by more than the limit, or not.

        Where two runs of A differ by more, an interval of one of them says nothing.
        """
        shrank = self.verdict in {FASTER, FEWER}
        return not self.regression and not shrank and max(self.highest, self.noise) > limit

    def turns_needed(self, limit: float) -> float:
        """Return how many times as many turns would decide it; None for a row that did not grow.

        The change is taken to be what it seems to be; the width falls with the square root of the
        number of turns.
        """
        if self.change95 is None or self.highest <= limit:
            return math.nan
        low, high = self.change95
        away = abs((self.change or 0.0) - limit) if self.grew else limit
        return ((high - low) / 2 / away) ** 2 if away else math.inf


def gated(comparison: Comparison) -> list[Gated]:
    """Return the medians, or what the gate was asked to look at.

    What may have grown most comes first.
    """
    looked_at = comparison.settings.of or (MEDIAN,)
    changes = [
        Gated(
            change.row,
            change.quantile,
            change.shift.change,
            change.shift.ci95,
            change.verdict,
            change.regression,
            comparison.row_noise.get((change.row, change.quantile), 0.0),
        )
        for change in comparison.times
        if change.quantile in looked_at
        and change.shift.why != NOTHING
        and comparison.may_fail(change.row)
    ]
    changes += [
        Gated(
            change.row,
            change.name,
            change.difference.change,
            (0.0, 0.0) if change.difference.ci95 == (0, 0) else change.difference.change95,
            change.verdict,
            change.regression,
            comparison.row_noise.get((change.row, change.counter), 0.0),
        )
        for change in comparison.counts
        if change.name in looked_at and comparison.may_fail(change.row)
    ]
    return sorted(changes, key=lambda change: (-change.highest, -change.noise))


def unseen(comparison: Comparison) -> list[Gated]:
    """Return what the gate looked at that may have grown by more than the limit, or not.

    There is nothing without a limit.
    """
    limit = comparison.settings.fail_above
    return (
        []
        if limit is None
        else [change for change in gated(comparison) if change.is_undecided(limit)]
    )


def looks_at_times(comparison: Comparison) -> bool:
    """Say whether a percentile of a time can fail; not where only counters were asked for."""
    of = comparison.settings.of
    return not of or any(name in QUANTILES for name in of)
