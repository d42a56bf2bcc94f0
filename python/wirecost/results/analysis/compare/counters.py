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

from wirecost.results.analysis.compare import processes as by_process
from wirecost.results.analysis.compare.quantiles import worth_of_processes
from wirecost.results.analysis.significance import rank_sum_test

RESAMPLES = 2000
SEED = 997
BATCHES = 1000
LEAST_SAMPLES = 6
"""Fewest samples, as for a median: with fewer, no division of two runs is unlikely enough."""

Array = NDArray[np.float64]
Processes = NDArray[np.int64]


@dataclass(frozen=True)
class MeanDifference:
    """Means of a counter in runs A and B; ``ci95`` of ``b - a``, None with too few samples.

    ``ratio95`` of ``b / a - 1``, None where a mean of some resample is 0.
    """

    a: float
    b: float
    ci95: tuple[float, float] | None
    p: float | None
    ratio95: tuple[float, float] | None = None

    @property
    def change(self) -> float | None:
        """``b / a - 1``; None where ``a`` is 0."""
        return self.b / self.a - 1 if self.a > 0 else None

    @property
    def change95(self) -> tuple[float, float] | None:
        """Interval of ``change``.

        It is never below -1, since nothing counts less than none. Without ``ratio95`` it is
        ``ci95`` as shares of ``a``, cut off there: resamples without any have no ratio.
        """
        if self.ci95 is None or self.a <= 0:
            return None
        if self.ratio95 is not None:
            return self.ratio95
        return max(-1.0, self.ci95[0] / self.a), max(-1.0, self.ci95[1] / self.a)


def mean_difference(
    a: Array, b: Array, processes: tuple[Processes | None, Processes | None] = (None, None)
) -> MeanDifference:
    """Compare two series of counts, shapes (n,) and (m,), not empty, in the order of time.

    ``processes``: which one took each.
    """
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
        return MeanDifference(of_a, of_b, ci95, p, _ratio_of_processes(*sides))
    random = np.random.default_rng(SEED)
    of_resamples = _resampled_means(b, random), _resampled_means(a, random)
    wider = _widened(b, taken_b), _widened(a, taken_a)
    apart = wider[0] * (of_resamples[0] - of_b) - wider[1] * (of_resamples[1] - of_a)
    low, high = of_b - of_a + np.quantile(apart, [0.025, 0.975])
    ratio95 = None
    if min(of_a, of_b, *(float(means.min()) for means in of_resamples)) > 0:
        logs = [
            wide * np.log(means / mean)
            for wide, means, mean in zip(wider, of_resamples, (of_b, of_a), strict=True)
        ]
        ends = math.log(of_b / of_a) + np.quantile(logs[0] - logs[1], [0.025, 0.975])
        ratio95 = math.expm1(ends[0]), math.expm1(ends[1])
    return MeanDifference(of_a, of_b, (float(low), float(high)), rank_sum_test(a, b), ratio95)


def _ratio_of_processes(
    a: by_process.Resampled, b: by_process.Resampled
) -> tuple[float, float] | None:
    """Compare by the logarithm, as for quantiles."""
    if min(a.value, float(a.resamples.min()), b.value, float(b.resamples.min())) <= 0:
        return None
    (low, high), _ = by_process.difference(a.logarithm(), b.logarithm())
    return math.expm1(low), math.expm1(high)


def _widened(series: Array, processes: Processes | None) -> float:
    """Return the factor that resamples' means are to be spread by, because processes differ."""
    if processes is None or len(np.unique(processes)) < 2:
        return 1.0
    return math.sqrt(len(series) / worth_of_processes(series - series.mean(), processes))


def _resampled_means(series: Array, random: np.random.Generator) -> Array:
    """Return the means of resamples, shape (RESAMPLES,).

    Of long series whole stretches are resampled: what follows one another is alike, and time and
    memory stay bounded.
    """
    if len(series) > BATCHES:
        ends = np.linspace(0, len(series), BATCHES + 1).astype(np.int64)
        sums = np.add.reduceat(series, ends[:-1])
        series = sums / np.diff(ends)
    means: Array = series[random.integers(len(series), size=(RESAMPLES, len(series)))].mean(axis=1)
    return means
