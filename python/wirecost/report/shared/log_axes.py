# SPDX-License-Identifier: Apache-2.0
"""Logarithmic axes whose ticks do not overlap, and labels beside lines that do not either."""

from __future__ import annotations

import math
from collections.abc import Sequence

GREY = "#8C8C8C"
"""Floors that are no library's."""

MICROSECONDS = (
    "datum.value >= 1e6 ? datum.value / 1e6 + ' s' : datum.value >= 1e3 "
    "? datum.value / 1e3 + ' ms' : datum.value >= 1 ? datum.value + ' µs' "
    ": format(datum.value * 1e3, '~g') + ' ns'"
)
"""Labels of an axis whose values are microseconds."""


def domain(values: Sequence[float]) -> list[float]:
    """What a logarithmic axis spans: a little more than the values, which are positive."""
    return [min(values) / 1.25, max(values) * 1.25]


def ticks(span: Sequence[float]) -> list[float]:
    """1, 2 and 5 times powers of ten; powers alone where there are many."""
    first, last = (math.floor(math.log10(end)) for end in span)
    steps = (1, 2, 5) if math.log10(span[1] / span[0]) < 2.5 else (1,)
    found = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [value for value in found if span[0] <= value <= span[1]]


def apart(values: Sequence[float], span: Sequence[float], height: float, gap: float) -> list[float]:
    """Where labels of the values stand so that they are ``gap`` pixels apart, in their order.

    ``values`` and what is returned lie on a logarithmic axis of ``height`` pixels over ``span``.
    """
    scale = height / math.log(span[1] / span[0])
    order = sorted(range(len(values)), key=lambda i: values[i])
    at = [0.0] * len(values)
    lowest = -math.inf
    for i in order:
        lowest = max(scale * math.log(values[i] / span[0]), lowest + gap)
        at[i] = lowest
    highest = height + gap
    for i in reversed(order):
        highest = min(at[i], highest - gap)
        at[i] = highest
    return [span[0] * math.exp(place / scale) for place in at]
