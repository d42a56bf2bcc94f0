# SPDX-License-Identifier: Apache-2.0
"""Student's t distribution with whole degrees of freedom, by its closed form (Abramowitz and
Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4)."""

from __future__ import annotations

import math
from functools import cache

MOST_FREEDOM = 200
"""Degrees of freedom beyond which the distribution hardly changes."""


def outside(t: float, freedom: int) -> float:
    """The probability of a value beyond ``±t``."""
    freedom = min(freedom, MOST_FREEDOM)
    angle = math.atan(abs(t) / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2 == 1
    power = cosine if odd else 1.0
    total = 0.0
    for at in range(freedom // 2):
        total += power
        over = 2 * at + (2 if odd else 1)
        power *= cosine * cosine * over / (over + 1)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return max(0.0, 1 - inside)


@cache
def bound(freedom: int) -> float:
    """The ``t`` beyond which, either way together, 5 % lie."""
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if outside(middle, freedom) > 0.05 else (low, middle)
    return high
