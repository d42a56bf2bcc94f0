# SPDX-License-Identifier: Apache-2.0
"""Counters of two independent runs: the difference of their means and how likely chance is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 997
BATCHES = 1000
LEAST_SAMPLES = 6
"""As for a median: with fewer, no division of two runs is unlikely enough."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MeanDifference:
    """Means of a counter in runs A and B; ``ci95`` of ``b - a``, None with too few samples."""

    a: float
    b: float
    ci95: tuple[float, float] | None
    p: float | None


def mean_difference(a: Array, b: Array) -> MeanDifference:
    """Compare two series of counts, shapes (n,) and (m,), not empty, in the order of time."""
    of_a, of_b = float(a.mean()), float(b.mean())
    if min(len(a), len(b)) < LEAST_SAMPLES:
        return MeanDifference(of_a, of_b, None, None)
    random = np.random.default_rng(SEED)
    apart = _resampled_means(b, random) - _resampled_means(a, random)
    low, high = np.quantile(apart, [0.025, 0.975])
    return MeanDifference(of_a, of_b, (float(low), float(high)), rank_sum_test(a, b))


def _resampled_means(series: Array, random: np.random.Generator) -> Array:
    """Means of resamples, shape (RESAMPLES,). Of long series whole stretches are resampled: what
    follows one another is alike, and time and memory stay bounded."""
    if len(series) > BATCHES:
        ends = np.linspace(0, len(series), BATCHES + 1).astype(np.int64)
        sums = np.add.reduceat(series, ends[:-1])
        series = sums / np.diff(ends)
    means: Array = series[random.integers(len(series), size=(RESAMPLES, len(series)))].mean(axis=1)
    return means


def rank_sum_test(a: Array, b: Array) -> float:
    """Two-sided Mann-Whitney test by the normal distribution, corrected for ties and continuity."""
    joint = np.concatenate([a, b])
    n, m, total = len(a), len(b), len(joint)
    _, which, times = np.unique(joint, return_inverse=True, return_counts=True)
    if len(times) == 1:
        return 1.0
    ends = np.cumsum(times)
    ranks = (ends - (times - 1) / 2)[which]
    ties = float((times.astype(np.float64) ** 3 - times).sum())
    variance = n * m / 12 * ((total + 1) - ties / (total * (total - 1)))
    excess = max(0.0, abs(float(ranks[:n].sum()) - n * (total + 1) / 2) - 0.5)
    return math.erfc(excess / math.sqrt(2 * variance))
