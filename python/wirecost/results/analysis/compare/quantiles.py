# SPDX-License-Identifier: Apache-2.0
"""Percentiles of two independent runs: the change, its 95 % interval and how likely chance is.

The interval is a percentile bootstrap of the ratio, each run resampled for itself: two runs have no
common turns that could be paired. Of six processes a run and more, whole processes are resampled
(``processes.py``), otherwise samples. Their order statistic needs no resample: its rank among
uniform numbers follows a beta distribution (Efron and Tibshirani, An Introduction to the Bootstrap,
ch. 13; David and Nagaraja, Order Statistics, ch. 2), so that a million samples cost what twenty do.

The probability is that of the two-sample quantile test, Mood's median test for any quantile: how
the samples below the joint quantile divide between the runs is hypergeometric if nothing changed.
It is exact for few samples, where the tails of a bootstrap are not, and it has no least value, so
one changed row among thousands can still be detected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wirecost.results.analysis.compare import processes as by_process
from wirecost.results.analysis.distributions import hypergeometric_tails

RESAMPLES = 5000
SEED = 997
TAIL = 0.025
"""Either side of a 95 % interval."""
FOR_NEIGHBOURS, FOR_ALL = 16, 50
"""Samples that a series needs to show the autocorrelation of neighbours, and of all."""

NOTHING = "both take no time"
FEW = "n too small: "
ZEROS = "there are times of 0"
SHORTEST = 1e-6
"""Nanoseconds; less is 0, of which nothing is a share."""

Array = NDArray[np.float64]
Processes = NDArray[np.int64]


@dataclass(frozen=True)
class TooFew:
    """Samples of the run that has fewer.

    ``executions`` are worth ``worth`` independent samples, where ``needed`` are. ``processes``:
    that took them, at least one.
    """

    needed: int
    worth: int
    executions: int
    processes: int


@dataclass(frozen=True)
class Shift:
    """Difference of a percentile of run B from run A's.

    Where ``ci95`` is None, ``why`` says why.
    """

    a: float
    b: float
    change: float | None
    """``b / a - 1``; None where ``a`` is not positive."""
    ci95: tuple[float, float] | None
    p: float | None
    why: str = ""
    few: TooFew | None = None


def least_samples(q: float) -> int:
    """Return the number of samples without which no 95 % interval of quantile ``q`` exists.

    Fewer lie on one side of it with a probability above 2.5 %, whatever their distribution (6, 36,
    368, 3688 for p50, p90, p99, p99.9).
    """
    return math.ceil(math.log(TAIL) / math.log(max(q, 1 - q)))


def independent(series: Array, q: float, processes: Processes | None = None) -> int:
    """Return the number of independent samples that ``series`` is worth.

    ``series``: shape (n,) in the order of time; ``processes``: which one took each, shape (n,).

    Samples of one process resemble each other. With several processes, the share of the variance of
    being below the quantile that lies between them says how much: the intraclass correlation, from
    the analysis of variance (Donner and Klar, Cluster Randomization Trials, ch. 1).

    Samples that follow one another on a busy machine are alike. The variance of a quantile grows
    with the autocorrelation of being below it, summed as far as it is surely positive (Geyer,
    1992); short series show that of neighbours at best, shorter ones nothing.
    """
    n = len(series)
    below = (series <= np.quantile(series, q)).astype(np.float64)
    centred = below - below.mean()
    spread = float(centred @ centred)
    if spread == 0:
        return n
    if processes is not None and len(np.unique(processes)) > 1:
        return worth_of_processes(centred, processes)
    if n < FOR_NEIGHBOURS:
        return n
    next_to = float(centred[1:] @ centred[:-1]) / spread
    if next_to <= 1.645 / math.sqrt(n):
        return n
    if n < FOR_ALL:
        return max(1, round(n * (1 - next_to) / (1 + next_to)))
    spectrum = np.fft.rfft(centred, 2 * n)
    correlation = np.fft.irfft(spectrum * spectrum.conj(), 2 * n)[:n] / spread
    pairs = correlation[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    positive = pairs[: negative[0]] if len(negative) else pairs
    return max(1, round(n / max(1.0, 2 * float(positive.sum()) - 1)))


def worth_of_processes(centred: Array, processes: Processes) -> int:
    """Return the independent samples that those of processes, less their mean, are worth."""
    n = len(centred)
    _, number, counts = np.unique(processes, return_inverse=True, return_counts=True)
    k = len(counts)
    if n == k:
        return n
    means = np.bincount(number, centred) / counts
    between = float(counts @ means**2) / (k - 1)
    within = float(((centred - means[number]) ** 2).sum()) / (n - k)
    size = (n - float(counts @ counts) / n) / (k - 1)
    whole = between + (size - 1) * within
    correlation = max(0.0, (between - within) / whole) if whole > 0 else 0.0
    return max(1, round(n / (1 + (n / k - 1) * correlation)))


def shift(
    a: Array,
    b: Array,
    q: float,
    processes: tuple[Processes | None, Processes | None] = (None, None),
) -> Shift:
    """Compare quantile ``q`` of two series of nanoseconds, shapes (n,) and (m,), not empty.

    All finite and below 1e18. ``processes``: which one took each sample.
    """
    of_a, of_b = float(np.quantile(a, q)), float(np.quantile(b, q))
    needed = least_samples(q)
    change = of_b / of_a - 1 if of_a >= SHORTEST else None
    counts = len(a), len(b)
    if min(counts) < needed:
        few = _too_few(needed, counts, counts, processes)
        return Shift(of_a, of_b, change, None, None, _few(needed, min(counts)), few)
    if change is None:
        return Shift(of_a, of_b, None, None, None, NOTHING if of_a == of_b else "A is 0")
    worth = independent(a, q, processes[0]), independent(b, q, processes[1])
    if min(worth) < needed:
        why = _few(needed, min(worth), "independent ")
        few = _too_few(needed, worth, counts, processes)
        return Shift(of_a, of_b, change, None, None, why, few)
    lower, upper = np.sort(a), np.sort(b)
    p = quantile_test(lower, upper, q, worth)
    taken_a, taken_b = processes
    if taken_a is not None and taken_b is not None and _all_enough(taken_a, taken_b):
        sides = (
            by_process.quantiles(lower, taken_a[np.argsort(a)], q, SEED),
            by_process.quantiles(upper, taken_b[np.argsort(b)], q, SEED + 1),
        )
        return _of_processes((of_a, of_b), sides, p)
    resampled_a = resampled(lower, worth[0], q, SEED)
    resampled_b = resampled(upper, worth[1], q, SEED + 1)
    if resampled_a.min() < SHORTEST:
        return Shift(of_a, of_b, change, None, None, ZEROS)
    low, high = np.quantile(resampled_b / resampled_a, [TAIL, 1 - TAIL]) - 1
    return Shift(of_a, of_b, change, (float(low), float(high)), p)


def _all_enough(*processes: Processes) -> bool:
    return all(by_process.enough(part) for part in processes)


def _of_processes(
    quantiles: tuple[float, float],
    sides: tuple[by_process.Resampled, by_process.Resampled],
    p: float,
) -> Shift:
    """Compare by the logarithm, whose interval is as wide up as down."""
    (of_a, of_b), (a, b) = quantiles, sides
    change = of_b / of_a - 1
    if min(a.value, float(a.resamples.min()), b.value, float(b.resamples.min())) < SHORTEST:
        return Shift(of_a, of_b, change, None, None, ZEROS)
    (low, high), _ = by_process.difference(a.logarithm(), b.logarithm())
    # Between two samples far apart a quantile may be anything, and resamples have the middle.
    between = min(math.expm1(low), change), max(math.expm1(high), change)
    return Shift(of_a, of_b, change, between, p)


def _too_few(
    needed: int,
    worth: tuple[int, int],
    counts: tuple[int, int],
    processes: tuple[Processes | None, Processes | None],
) -> TooFew:
    side = 0 if worth[0] <= worth[1] else 1
    numbers = processes[side]
    return TooFew(
        needed, worth[side], counts[side], 1 if numbers is None else len(np.unique(numbers))
    )


def _few(needed: int, there: int, which: str = "") -> str:
    return f"{FEW}{needed:,} {which}needed, {there:,} there"


def resampled(ordered: Array, worth: int, q: float, seed: int) -> Array:
    """Return the quantile ``q`` of resamples of ``worth`` of the ``ordered`` values.

    The shape is (RESAMPLES,).
    """
    first, second, weight = _ranks(worth, q, seed)
    n = len(ordered)
    low = ordered[np.minimum((first * n).astype(np.int64), n - 1)]
    high = ordered[np.minimum((second * n).astype(np.int64), n - 1)]
    return low + weight * (high - low)


@lru_cache(maxsize=64)
def _ranks(count: int, q: float, seed: int) -> tuple[Array, Array, float]:
    """Return the two order statistics of ``count`` uniform numbers around quantile ``q``."""
    random = np.random.default_rng([seed, count, round(q * 10_000)])
    at = (count - 1) * q
    rank = min(int(at), count - 1)
    first = random.beta(rank + 1, count - rank, RESAMPLES)
    above = count - rank - 1
    second = first + (1 - first) * random.beta(1, above, RESAMPLES) if above else first
    return first, second, at - rank


def quantile_test(a: Array, b: Array, q: float, worth: tuple[int, int]) -> float:
    """Return the two-sided probability that chance divides two ordered series so at their quantile.

    ``worth``: independent samples of each. Equal values at the joint quantile are counted on either
    side of it, and the smaller probability doubled for having looked twice.
    """
    joint = np.sort(np.concatenate([a, b]))
    at = float(joint[math.ceil(len(joint) * q) - 1])
    divisions = [
        (
            round(worth[0] * np.searchsorted(a, at, side) / len(a)),
            round(worth[1] * np.searchsorted(b, at, side) / len(b)),
        )
        for side in ("right", "left")
    ]
    if np.searchsorted(joint, at, "right") - np.searchsorted(joint, at, "left") == 1:
        return _division(*divisions[0], *worth)
    return min(1.0, 2 * min(_division(*division, *worth) for division in divisions))


def _division(below_a: int, below_b: int, n: int, m: int) -> float:
    """Return the two-sided probability of Fisher's exact test of ``below`` out of ``n`` and ``m``.

    It is the smaller tail, doubled.
    """
    return min(1.0, 2 * min(hypergeometric_tails(below_a, n + m, below_a + below_b, n)))
