# SPDX-License-Identifier: Apache-2.0
"""How likely a difference of two samples is by chance, and of many at once."""

from __future__ import annotations

import math

import numpy as np

from wirecost.results.analysis.distributions import (
    Array,
    normal_below,
    student_distance,
    student_tail,
)


def welch_test(a: Array, b: Array, tail: float) -> tuple[float, tuple[float, float]]:
    """Return the two-sided probability of Welch's t test, and the interval of the difference b - a.

    ``a``, ``b``: shape (n,) and (m,), not both constant; ``tail``: the probability beyond either
    end of the interval.
    """
    errors = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    error = math.sqrt(sum(errors))
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / (len(a) - 1) + errors[1] ** 2 / (len(b) - 1))
    apart = float(b.mean() - a.mean())
    reach = student_distance(float(freedom), tail) * error
    p = 2 * student_tail(float(freedom), abs(apart) / error)
    return p, (apart - reach, apart + reach)


def ranks_of(values: Array) -> Array:
    """Return the ranks of values from 1, shape (n,); equal ones share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2)[places]
    return ranks


def rank_sum_test(a: Array, b: Array) -> float:
    """Return the two-sided probability of the Mann-Whitney test by the normal distribution.

    It is corrected for ties and continuity.
    """
    joint = np.concatenate([a, b])
    n, m, whole = len(a), len(b), len(joint)
    _, ties = np.unique(joint, return_counts=True)
    u = float(ranks_of(joint)[:n].sum()) - n * (n + 1) / 2
    tied = float((ties.astype(np.float64) ** 3 - ties).sum()) / (whole * (whole - 1))
    spread = math.sqrt(n * m / 12 * (whole + 1 - tied))
    apart = abs(u - n * m / 2) - 0.5
    return min(1.0, 2 * normal_below(-apart / spread)) if spread else 1.0


def adjusted(probabilities: list[float]) -> list[float]:
    """Return the probabilities adjusted by Benjamini and Hochberg (1995).

    Rejecting what is at most 0.05 makes at most 5 % of the rejections false on average. This holds
    for rows that vary together, as stages and their sums do (Benjamini and Yekutieli, 2001, Theorem
    1.2).
    """
    values = np.array(probabilities, dtype=np.float64)
    order = np.argsort(values)[::-1]
    scaled = values[order] * len(values) / np.arange(len(values), 0, -1)
    result = np.empty_like(values)
    result[order] = np.minimum(1, np.minimum.accumulate(scaled))
    return [float(value) for value in result]
