# SPDX-License-Identifier: Apache-2.0
"""What a remedy gained, with intervals, and whether that is what it promised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wirecost.results.analysis.intervals import Estimate, Resampler, median
from wirecost.results.records.proof import StandInTurn, TurnPair

WITHIN = 0.35
"""Relative difference of a promise and a gain that are the same."""
KEPT, LESS, MORE, NOTHING = "kept", "less", "more", "nothing"
"""Verdicts: within ``WITHIN`` or the interval, a smaller or a greater gain, none that is sure."""

Quantity = Callable[[StandInTurn], float]


@dataclass(frozen=True)
class GainEstimate:
    """Medians over turns of a quantity before and after a change, and of their difference."""

    before: Estimate
    after: Estimate
    gained: Estimate

    @property
    def is_sure(self) -> bool:
        """True where the interval of the gain leaves 0 out."""
        return self.gained.low > 0 or self.gained.high < 0


def gain(turns: Sequence[TurnPair], quantity: Quantity) -> GainEstimate:
    """Return what was gained; the turns are resampled in pairs."""
    before = np.array([quantity(pair.before) for pair in turns])
    after = np.array([quantity(pair.after) for pair in turns])
    resampler = Resampler(np.zeros(len(turns), np.int64))
    return GainEstimate(
        *(median(values, resampler.medians(values)) for values in (before, after, before - after))
    )


def verdict(promised: float, gained: Estimate) -> str:
    """Return whether a promise came true: ``KEPT``, ``LESS``, ``MORE`` or ``NOTHING``."""
    if gained.low <= promised <= gained.high or abs(gained.value - promised) <= WITHIN * promised:
        return KEPT if gained.low > 0 or not promised else NOTHING
    if gained.low <= 0:
        return NOTHING
    return LESS if gained.value < promised else MORE
