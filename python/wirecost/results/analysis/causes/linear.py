# SPDX-License-Identifier: Apache-2.0
"""Linear models over few numbers of many executions, from their correlations alone.

All that is asked of a model follows from one small matrix, so a million executions are read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
DUST = 1e-9
"""Smaller shares of the variance are rounding."""


@dataclass(frozen=True)
class Line:
    """Least squares of y over x: ``y = slope x + offset``; ``explained`` is its R², 0 to 1."""

    slope: float
    offset: float
    explained: float


def line(x: Array, y: Array) -> Line | None:
    """Fit a line; None where x or y is always the same. Both have one shape (n,)."""
    model = Correlations([x], y)
    if not model.varies[0] or model.spread == 0:
        return None
    slope = float(model.slopes([0])[0])
    return Line(slope, float(y.mean()) - slope * float(x.mean()), 1 - model.left([0]))


class Correlations:
    """Correlations of numbers x_0 … x_k-1, each of shape (n,), and y with one another."""

    def __init__(self, numbers: Sequence[Array], y: Array) -> None:
        columns = np.column_stack([*numbers, y])
        size = np.abs(columns).max(axis=0, initial=0)
        columns /= np.where(size > 0, size, 1)  # the squares of large numbers overflow
        columns -= columns.mean(axis=0)
        scale = np.linalg.norm(columns, axis=0)
        # A constant leaves rounding after the mean is taken.
        scale[scale <= np.finfo(np.float64).eps * len(y)] = 0
        columns /= np.where(scale > 0, scale, 1)
        scale *= size
        self.count = len(y)
        self.varies: list[bool] = [bool(spread > 0) for spread in scale[:-1]]
        self.spread = float(scale[-1])
        """Square root of the sum of squares of y about its mean."""
        self._scale = np.where(scale > 0, scale, 1)
        matrix = columns.T @ columns
        self._among, self._with = matrix[:-1, :-1], matrix[:-1, -1]

    def slopes(self, chosen: Sequence[int]) -> Array:
        """Return what y grows for one more of each chosen number, the other chosen ones held."""
        return self._standard(chosen) * self.spread / self._scale[:-1][list(chosen)]

    def left(self, chosen: Sequence[int]) -> float:
        """Return the share of y's variance that the chosen numbers do not explain, 0 to 1."""
        if not chosen:
            return 1.0
        explained = float(self._with[list(chosen)] @ self._standard(chosen))
        return float(np.clip(1 - explained, 0, 1))

    def shares(self, chosen: Sequence[int]) -> list[float]:
        """Return the explained variance divided among the chosen numbers.

        A number's share is what it adds, averaged over the orders in which they can join (Lindeman,
        Merenda and Gold 1980; Grömping 2007).
        """
        explained = {
            subset: 1 - self.left(subset)
            for size in range(len(chosen) + 1)
            for subset in combinations(chosen, size)
        }
        weight = [
            factorial(size) * factorial(len(chosen) - size - 1) / factorial(len(chosen))
            for size in range(len(chosen))
        ]
        return [
            sum(
                weight[len(subset) - 1] * (r2 - explained[tuple(i for i in subset if i != column)])
                for subset, r2 in explained.items()
                if column in subset
            )
            for column in chosen
        ]

    def _standard(self, chosen: Sequence[int]) -> Array:
        at = list(chosen)
        solved: Array = np.linalg.lstsq(self._among[np.ix_(at, at)], self._with[at], rcond=DUST)[0]
        return solved
