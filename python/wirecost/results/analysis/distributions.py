# SPDX-License-Identifier: Apache-2.0
"""The probabilities that comparisons need: binomial, hypergeometric, normal and Student's t.

SciPy has them and a hundred megabytes more, so an installation computes these few itself; the tests
compare each with SciPy's.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FARTHEST = 40.0
"""Standard deviations from the mean at which a binomial distribution is cut off."""
PRECISION = 1e-14
"""Relative change of a continued fraction at which it has its value."""
SMALLEST = 1e-300
"""Stands for 0 where a continued fraction divides by it."""


def normal_below(z: float) -> float:
    """Return the probability that a standard normal value is at most ``z``."""
    return math.erfc(-z / math.sqrt(2)) / 2


def binomial_quantile(probability: float, n: int, share: float) -> int:
    """Return the smallest count that is not exceeded with this probability, out of ``n`` draws."""
    if not 0 < share < 1:
        return n if share else 0
    reach = FARTHEST * math.sqrt(n * share * (1 - share)) + FARTHEST
    first, last = max(0, int(n * share - reach)), min(n, int(n * share + reach))
    k = np.arange(first, last, dtype=np.float64)
    weights = _weights(np.log((n - k) / (k + 1)) + math.log(share / (1 - share)))
    below = np.cumsum(weights) / weights.sum()
    return first + int(np.searchsorted(below, probability))


def hypergeometric_tails(drawn: int, whole: int, marked: int, draws: int) -> tuple[float, float]:
    """Return the probabilities of at most, and of at least, ``drawn`` marked ones.

    ``drawn``: a possible number; ``whole``: what ``draws`` are made from, ``marked`` of it marked.
    """
    first, last = max(0, draws + marked - whole), min(draws, marked)
    k = np.arange(first, last, dtype=np.float64)
    ratios = (marked - k) * (draws - k) / ((k + 1) * (whole - marked - draws + k + 1))
    weights = _weights(np.log(ratios))
    at = drawn - first
    at_most, at_least = weights[: at + 1].sum(), weights[at:].sum()
    return float(at_most / weights.sum()), float(at_least / weights.sum())


def _weights(log_ratios: Array) -> Array:
    """Return probabilities, of which the largest is 1, from the logarithm of each to the last."""
    logarithms = np.concatenate([[0.0], np.cumsum(log_ratios)])
    weights: Array = np.exp(logarithms - logarithms.max())
    return weights


def student_tail(freedom: float, distance: float) -> float:
    """Return the probability that a value of Student's t distribution exceeds ``distance`` >= 0."""
    square = distance * distance
    whole = freedom + square
    return _incomplete_beta(freedom / 2, 0.5, freedom / whole, square / whole) / 2


@lru_cache(maxsize=256)
def student_distance(freedom: float, tail: float) -> float:
    """Return what a value of Student's t distribution exceeds with the probability ``tail``."""
    low, high = 0.0, 1.0
    while student_tail(freedom, high) > tail:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if student_tail(freedom, middle) > tail else (low, middle)
    return middle


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularized incomplete beta function at ``x``; ``rest``: exactly ``1 - x``.

    By its continued fraction (Press and others, Numerical Recipes, section 6.4).
    """
    if 0 in (x, rest):
        return 1.0 if x else 0.0
    logarithm = math.log(x) if x < rest else math.log1p(-rest)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(scale + a * logarithm + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction by Lentz's method."""
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    value, m = d, 0
    while True:
        m += 1
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = _inverse(1 + numerator * d)
            c = 1 + numerator / c or SMALLEST
            value *= c * d
        if abs(c * d - 1) < PRECISION:
            return value


def _inverse(value: float) -> float:
    return 1 / (value or SMALLEST)
