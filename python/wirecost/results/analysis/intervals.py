# SPDX-License-Identifier: Apache-2.0
"""Medians and ratios of medians with 95 % bootstrap intervals.

Samples of one process resemble each other: where its memory came to lie, it stays. So there are two
levels, as Kalibera and Jones ask for (Rigorous Benchmarking in Reasonable Time, ISMM 2013):
processes are resampled first, then the repetitions within each chosen one.

Resampling is paired: all contenders of a case are resampled by the same processes and repetitions,
because they ran in turns, so what slowed the machine for a while slowed them together (Efron and
Tibshirani, An Introduction to the Bootstrap, ch. 13: the percentile interval).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 997
BLOCK = 1 << 22  # values resampled at once, to bound memory

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


class Resampler:
    """Drawing of the same processes for every series of one case.

    The repetitions are the same too where the series have as many of each process. ``processes``:
    which process took each repetition, shape (repetitions,), in ascending order. ``each``: drawn of
    every chosen process, the same for all series of a case; None: as many as processes have on
    average.
    """

    def __init__(self, processes: NDArray[np.int64], each: int | None = None) -> None:
        self._repetitions = len(processes)
        _, self._starts, self._counts = np.unique(processes, return_index=True, return_counts=True)
        self._each = each or round(self._repetitions / max(1, len(self._counts)))

    def medians(self, samples: Array) -> Array:
        """Return medians of the resampled series, shape (RESAMPLES,)."""
        random = np.random.default_rng(SEED)
        rows = max(1, BLOCK // self._repetitions)
        parts = []
        for start in range(0, RESAMPLES, rows):
            chosen = self._draw(random, min(rows, RESAMPLES - start))
            parts.append(np.median(samples[chosen], axis=1))
        return np.concatenate(parts)

    def _draw(self, random: np.random.Generator, rows: int) -> NDArray[np.int64]:
        """Return repetitions, ``each`` from every chosen process.

        The shape is (rows, about repetitions).
        """
        number = len(self._counts)
        if number == 1:
            return random.integers(self._repetitions, size=(rows, self._repetitions))
        chosen = random.integers(number, size=(rows, number, 1))
        within = random.random((rows, number, self._each)) * self._counts[chosen]
        return (self._starts[chosen] + within.astype(np.int64)).reshape(rows, -1)


def median(samples: Array, resampled: Array) -> Estimate:
    return _estimate(float(np.median(samples)), resampled)


def ratio(samples: Array, resampled: Array, to: Array, to_resampled: Array) -> Estimate | None:
    """Return the ratio of the medians of two series of the same repetitions.

    It is None if it has no meaning.
    """
    denominator = float(np.median(to))
    if denominator <= 0 or bool(np.any(to_resampled <= 0)):
        return None
    return _estimate(float(np.median(samples)) / denominator, resampled / to_resampled)


def _estimate(value: float, resampled: Array) -> Estimate:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Estimate(value, float(low), float(high))
