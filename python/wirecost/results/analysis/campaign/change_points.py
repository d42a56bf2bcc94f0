# SPDX-License-Identifier: Apache-2.0
"""Changes of level in a series of numbers.

Pettitt's statistic (A non-parametric approach to the change-point problem, Applied Statistics 28,
1979): the largest sum of centred ranks up to a place. It needs no distribution, and one outlier
moves it little. How likely a series without a change has one as large comes from permutations of
the series itself. A series with a change is cut there and both parts are searched again (binary
segmentation, Vostrikova 1981).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wirecost.results.analysis.significance import ranks_of

PERMUTATIONS = 1999
SEED = 1979
LEAST = 3
"""Values on each side of a change."""
ENOUGH = 8
"""Fewest values of a series: of fewer no change can be told from chance; four on each side have 70
orders."""
WITHIN = 0.01
"""Probability below which a part of a changed series is cut once more."""

Array = NDArray[np.float64]


def probability(values: Array) -> tuple[float, int]:
    """Return how likely so large a change is by chance, and where it begins.

    1 and 0 of too few values.
    """
    if len(values) < ENOUGH:
        return 1.0, 0
    ranks = ranks_of(values)
    centred = ranks - ranks.mean()
    statistics = _sums(centred[None, :])[0]
    place = int(np.argmax(statistics))
    random = np.random.default_rng(SEED)
    shuffled = random.permuted(np.tile(centred, (PERMUTATIONS, 1)), axis=1)
    # Ties are sums of halves, which are exact.
    as_large = int((_sums(shuffled).max(axis=1) >= statistics[place]).sum())
    return (1 + as_large) / (1 + PERMUTATIONS), place + LEAST


def change_points(values: Array) -> list[int]:
    """Return where levels begin, but for the first, of a series that is known to have a change."""
    _, place = probability(values)
    return sorted({place, *_further(values, 0, place), *_further(values, place, len(values))} - {0})


def _further(values: Array, begin: int, end: int) -> list[int]:
    p, place = probability(values[begin:end])
    if p > WITHIN:
        return []
    middle = begin + place
    return [*_further(values, begin, middle), middle, *_further(values, middle, end)]


def _sums(centred: Array) -> Array:
    """Return, for each place that may be a change, shape (series, places)."""
    sums: Array = np.abs(np.cumsum(centred, axis=1)[:, LEAST - 1 : -LEAST])
    return sums
