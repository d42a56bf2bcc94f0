# SPDX-License-Identifier: Apache-2.0
"""Counters of two independent runs: the difference of their means and how likely chance is.

Of six processes a run and more, whole processes are resampled, otherwise samples; what those of few
processes have in common widens the interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirecost.analysis.compare import processes as by_process
from wirecost.analysis.compare.quantiles import worth_of_processes

RESAMPLES = 2000
SEED = 997
BATCHES = 1000
LEAST_SAMPLES = 6
"""As for a median: with fewer, no division of two runs is unlikely enough."""

Array = NDArray[np.float64]
Processes = NDArray[np.int64]


@dataclass(frozen=True)
class MeanDifference:
    """Means of a counter in runs A and B; ``ci95`` of ``b - a``, None with too few samples."""

    a: float
    b: float
    ci95: tuple[float, float] | None
    p: float | None

    @property
    def change(self) -> float | None:
        """``b / a - 1``; None where ``a`` is 0."""
        return self.b / self.a - 1 if self.a > 0 else None

    @property
    def change95(self) -> tuple[float, float] | None:
        """``ci95`` as shares of ``a``."""
        if self.ci95 is None or self.a <= 0:
            return None
        return self.ci95[0] / self.a, self.ci95[1] / self.a


def mean_difference(
    a: Array, b: Array, processes: tuple[Processes | None, Processes | None] = (None, None)
) -> MeanDifference:
    """Compare two series of counts, shapes (n,) and (m,), not empty, in the order of time.
    ``processes``: which one took each."""
    of_a, of_b = float(a.mean()), float(b.mean())
    if min(len(a), len(b)) < LEAST_SAMPLES:
        return MeanDifference(of_a, of_b, None, None)
    taken_a, taken_b = processes
    if (
        taken_a is not None and taken_b is not None
        and by_process.enough(taken_a) and by_process.enough(taken_b)
    ):  # fmt: skip
        sides = by_process.means(a, taken_a, SEED), by_process.means(b, taken_b, SEED + 1)
        ci95, p = by_process.difference(*sides)
        return MeanDifference(of_a, of_b, ci95, p)
    random = np.random.default_rng(SEED)
    apart = _deviations(b, taken_b, random) - _deviations(a, taken_a, random)
    low, high = of_b - of_a + np.quantile(apart, [0.025, 0.975])
    return MeanDifference(of_a, of_b, (float(low), float(high)), rank_sum_test(a, b))


def _deviations(series: Array, processes: Processes | None, random: np.random.Generator) -> Array:
    """Of resamples' means from the series', wider where processes differ; shape (RESAMPLES,)."""
    mean = series.mean()
    widened = 1.0
    if processes is not None and len(np.unique(processes)) > 1:
        widened = math.sqrt(len(series) / worth_of_processes(series - mean, processes))
    found: Array = widened * (_resampled_means(series, random) - mean)
    return found


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
