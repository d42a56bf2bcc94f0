# SPDX-License-Identifier: Apache-2.0
"""Models of the time over the numbers, in three sets of executions.

In all of them, so that rare and slow ones count; in all but the slowest 1 %, so that a few spikes
do not hide what the usual execution follows; and in those during which no other thread ran, so that
a busy machine does not hide it either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirecost.results.analysis.causes.followed import Followed, followed
from wirecost.results.analysis.causes.linear import Array, Correlations
from wirecost.results.analysis.causes.numbers import FEWEST, Executions

DIFFERING = 3
"""Executions: what is special in fewer proves nothing."""
SWITCHES = "context-switches"


@dataclass(frozen=True)
class Models:
    """``names`` are the numbers that differ between executions; models know them by index."""

    names: list[str]
    every: Correlations
    usual: Correlations
    undisturbed: Correlations | None
    """None where too few executions had no context switch, or none had one."""

    @classmethod
    def of(cls, executions: Executions) -> Models:
        ns = executions.ns
        numbers = {name: array for name, array in executions.numbers.items() if _differs(array)}

        def among(chosen: NDArray[np.bool_]) -> Correlations:
            return Correlations([array[chosen] for array in numbers.values()], ns[chosen])

        every = np.ones(len(ns), dtype=bool)
        usual = every.copy()
        usual[executions.slowest] = False
        undisturbed = usual & (numbers[SWITCHES] == 0) if SWITCHES in numbers else ~every
        enough = undisturbed.sum() >= FEWEST
        return cls(
            list(numbers), among(every), among(usual), among(undisturbed) if enough else None
        )

    def usual_prices(self, found: list[Followed]) -> dict[str, float]:
        """Return prices: nanoseconds for one more of each among all but the slowest 1 %."""
        chosen = [cause.index for cause in found]
        return {
            self.names[index]: float(slope)
            for index, slope in zip(chosen, self.usual.slopes(chosen), strict=True)
            if self.usual.varies[index] and slope > 0
        }

    def followed(self) -> list[Followed]:
        """Return the numbers that the time follows, each with the model that showed it."""
        in_turn = (self.every, self.usual, self.undisturbed)
        return followed([model for model in in_turn if model is not None], self.names)


def _differs(array: Array) -> bool:
    return int((array != np.median(array)).sum()) >= DIFFERING
