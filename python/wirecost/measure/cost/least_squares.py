# SPDX-License-Identifier: Apache-2.0
"""Least squares without negative solutions (Lawson and Hanson, Solving Least Squares Problems)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TOLERANCE = 1e-12
"""Share of the largest gradient that is rounding alone."""


def nonnegative(matrix: Array, target: Array) -> Array:
    """Return the ``x >= 0`` with the least ``|matrix @ x - target|``; shape (columns,)."""
    solution = np.zeros(matrix.shape[1])
    free = np.zeros(len(solution), dtype=bool)
    least = TOLERANCE * float(np.abs(matrix.T @ target).max())
    while not free.all():
        gradient = np.where(free, -np.inf, matrix.T @ (target - matrix @ solution))
        entering = int(np.argmax(gradient))
        if gradient[entering] <= least:
            break
        free[entering] = True
        while (unbounded := _without_bounds(matrix, target, free))[free].min() <= 0:
            if unbounded[entering] <= 0 == solution[entering]:
                free[entering] = False  # it cannot grow: rounding chose it
                return solution
            blocking = free & (unbounded <= 0)
            step = np.min(solution[blocking] / (solution[blocking] - unbounded[blocking]))
            solution += step * (unbounded - solution)
            free &= solution > TOLERANCE * solution.max()
            solution[~free] = 0
        solution = unbounded
    return solution


def _without_bounds(matrix: Array, target: Array, free: NDArray[np.bool_]) -> Array:
    """Return the least squares of the free columns; the others are 0."""
    solution = np.zeros(len(free))
    solution[free] = np.linalg.lstsq(matrix[:, free], target, rcond=None)[0]
    return solution
