# SPDX-License-Identifier: Apache-2.0
"""Difference of two runs of several processes, where what varies between processes counts.

A process keeps its memory layout, and mostly its neighbours, for as long as it runs, so its samples
say much about itself and little about the next one. Whole processes are resampled (the cluster
bootstrap; Davison and Hinkley, Bootstrap Methods and their Application, section 3.8), and the
interval is expanded for their small number (Hesterberg, What Teachers Should Know About the
Bootstrap, 2015: by n / (n - 1) and Student's t, with Welch's degrees of freedom).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wirecost.results.analysis.distributions import (
    normal_below,
    student_distance,
    student_tail,
)

LEAST_PROCESSES = 6
"""Fewest processes of a run; fewer say too little about the next one."""
RESAMPLES = 2000
GRID = 96
"""Values on either side of a run's quantile that those of its resamples are looked for among."""

Array = NDArray[np.float64]
Processes = NDArray[np.int64]


@dataclass(frozen=True)
class Resampled:
    """A statistic of a run and of its resamples, shape (RESAMPLES,)."""

    value: float
    resamples: Array
    processes: int

    def logarithm(self) -> Resampled:
        """Return the logarithm of a statistic that is above 0 in all resamples."""
        return Resampled(math.log(self.value), np.log(self.resamples), self.processes)

    def deviations(self) -> Array:
        """Return deviations, widened.

        Resamples vary by less than runs do, since each has no more than the run's processes.
        """
        widened: Array = math.sqrt(self.processes / (self.processes - 1)) * (
            self.resamples - self.value
        )
        return widened


def enough(processes: Processes | None) -> bool:
    """Say whether there are processes enough to resample."""
    return processes is not None and len(np.unique(processes)) >= LEAST_PROCESSES


def difference(a: Resampled, b: Resampled) -> tuple[tuple[float, float], float]:
    """Return the 95 % interval of ``b - a``, and the probability of such a difference by chance."""
    of_a, of_b = a.deviations(), b.deviations()
    variances = float(of_a.var()), float(of_b.var())
    apart, error = b.value - a.value, math.sqrt(sum(variances))
    if error == 0:
        return (apart, apart), 1.0 if apart == 0 else 0.0
    freedom = _freedom(variances, (a.processes, b.processes))
    tail = normal_below(-student_distance(freedom, 0.025))
    low, high = np.quantile(apart + of_b - of_a, [tail, 1 - tail])
    return (float(low), float(high)), 2 * student_tail(freedom, abs(apart / error))


def _freedom(variances: tuple[float, float], processes: tuple[int, int]) -> int:
    shares = [variance / sum(variances) for variance in variances]
    parts = zip(shares, processes, strict=True)
    return max(1, int(1 / sum(share**2 / (count - 1) for share, count in parts)))


def means(series: Array, processes: Processes, seed: int) -> Resampled:
    """Resample the mean of values, shape (n,); ``processes``: which one took each, shape (n,)."""
    _, number, counts = np.unique(processes, return_inverse=True, return_counts=True)
    weights = _weights(len(counts), seed)
    resamples = (weights @ np.bincount(number, series)) / (weights @ counts.astype(np.float64))
    return Resampled(float(series.mean()), resamples, len(counts))


def quantiles(ordered: Array, processes: Processes, q: float, seed: int) -> Resampled:
    """Return the quantile ``q`` of ascending values, shape (n,)."""
    _, number, counts = np.unique(processes, return_inverse=True, return_counts=True)
    k = len(counts)
    # Where each process has its own quantile: that of a mixture lies between those of its parts.
    by_process = np.argsort(number, kind="stable")
    at = np.cumsum(counts) - counts + ((counts - 1) * q).astype(np.int64)
    first = max(0, int(by_process[at].min()) - 1)
    last = min(len(ordered) - 1, int(by_process[np.minimum(at + 1, np.cumsum(counts) - 1)].max()))
    ends = _near(min(max(int(q * len(ordered)), first), last), first, last)
    before = np.bincount(number[: ends[0]], minlength=k)
    steps = [
        np.bincount(number[low:high], minlength=k)
        for low, high in zip([ends[0], *(ends[:-1] + 1)], ends + 1, strict=True)
    ]
    below = (before + np.cumsum(steps, axis=0)).T.astype(np.float64)  # (k, grid)
    weights = _weights(k, seed)
    sought = q * (weights @ counts.astype(np.float64))
    whole = below.sum(axis=0)[None, :]
    return Resampled(
        float(_at(ordered[ends], whole, np.array([q * len(ordered)]))[0]),
        _at(ordered[ends], weights @ below, sought),
        k,
    )


def _near(at: int, first: int, last: int) -> NDArray[np.int64]:
    """Return the ranks from ``first`` to ``last``: all next to ``at``, ever fewer away from it.

    Above a tail's quantile a run has few samples.
    """
    down = np.geomspace(1, at - first, GRID) if at > first else np.empty(0)
    up = np.geomspace(1, last - at, GRID) if last > at else np.empty(0)
    sides = [at - np.round(down), np.array([at]), at + np.round(up)]
    return np.unique(np.concatenate(sides).astype(np.int64))


def _at(values: Array, below: Array, sought: Array) -> Array:
    """Return the middle of the values at which ``below`` reaches and exceeds what is sought."""
    slack = 1e-9 * sought[:, None]
    apart = below - sought[:, None]
    reached = np.count_nonzero(apart < -slack, axis=1)
    exceeded = np.count_nonzero(apart <= slack, axis=1)
    most = len(values) - 1
    middle: Array = (values[np.minimum(reached, most)] + values[np.minimum(exceeded, most)]) / 2
    return middle


@lru_cache(maxsize=64)
def _weights(k: int, seed: int) -> Array:
    """Return how often a resample has each process, shape (RESAMPLES, k)."""
    random = np.random.default_rng([seed, k])
    return random.multinomial(k, np.full(k, 1 / k), RESAMPLES).astype(np.float64)
