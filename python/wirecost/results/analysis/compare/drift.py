# SPDX-License-Identifier: Apache-2.0
"""Movement of a machine between two runs, by the contenders that a change left alone.

A change of one contender's code moves its rows. A busier neighbour moves the others', too: where
they lie apart from run to run, as far is nothing (the empirical null of Efron, Large-Scale
Inference, ch. 6). A minority of others that changed as well makes no difference to it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

LEAST_OTHERS = 4
"""Contenders without which nobody can tell what changed and what moved."""
LEAST_ROWS = 8
WIDTH = 3.0
"""Standard deviations."""
OF_NORMAL = 1.4826
"""A normal distribution's standard deviation by its median absolute deviation."""

Change = tuple[str, str, float]
"""A row's contender, its percentile, and B's by A's time."""


def drift(changes: Iterable[Change]) -> dict[tuple[str, str], float]:
    """Return the share by which rows of the others move, up or down alike.

    It is by contender and percentile; those with too few others have none.
    """
    logarithms: dict[str, dict[str, list[float]]] = {}
    for contender, quantile, ratio in changes:
        if ratio > 0:
            by_contender = logarithms.setdefault(quantile, {})
            by_contender.setdefault(contender, []).append(float(np.log(ratio)))
    return {
        (contender, quantile): _moved(others)
        for quantile, by_contender in logarithms.items()
        for contender in by_contender
        if len(by_contender) > LEAST_OTHERS
        and len(others := _but(by_contender, contender)) >= LEAST_ROWS
    }


def _but(by_contender: dict[str, list[float]], contender: str) -> list[float]:
    return [moved for name, drifts in by_contender.items() if name != contender for moved in drifts]


def _moved(logarithms: list[float]) -> float:
    values = np.array(logarithms)
    middle = float(np.median(values))
    spread = OF_NORMAL * float(np.median(np.abs(values - middle)))
    return float(np.expm1(abs(middle) + WIDTH * spread))
