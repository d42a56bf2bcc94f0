# SPDX-License-Identifier: Apache-2.0
"""How far apart two runs of the same program lie: what no interval within a run can show.

Memory laid out otherwise, another core, a busier neighbour move all samples of a run together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from wirecost.analysis.compare.runs import TIME, Array, Run, finite, rows_of
from wirecost.errors import UserError

COVERED = 0.95
"""Share of rows whose change between equal runs stays within the reported noise."""


def noise(
    a: Run, again: Run, names: list[str], quantiles: Callable[[int], dict[str, float]]
) -> dict[str, float]:
    """The noise between two runs of A: by percentile, the share that ``COVERED`` of the rows change
    by at most.

    ``quantiles`` gives the percentiles that so many samples allow. Raises UserError if the runs
    have no row in common.
    """
    if a.scenario != again.scenario:
        raise UserError(
            f"--again {again.path}: holds {again.scenario}, A {a.scenario}; name a second run of A"
        )
    first, second = rows_of(a, names), rows_of(again, names)
    changes: dict[str, list[float]] = {}
    for key in first.keys() & second.keys():
        for name, change in _changes(first[key], second[key], quantiles):
            changes.setdefault(name, []).append(change)
    if not changes:
        raise UserError(f"--again {again.path}: has no row of A; measure the same cases as A")
    return {name: float(np.quantile(found, COVERED)) for name, found in changes.items()}


def _changes(
    one: pl.DataFrame, other: pl.DataFrame, quantiles: Callable[[int], dict[str, float]]
) -> list[tuple[str, float]]:
    """Sizes of the changes, in either direction the same."""
    a, b = finite(one, TIME), finite(other, TIME)
    found = [
        (name, _quantile(a, q), _quantile(b, q))
        for name, q in quantiles(min(len(a), len(b))).items()
    ]
    return [
        (name, max(of_a, of_b) / min(of_a, of_b) - 1)
        for name, of_a, of_b in found
        if min(of_a, of_b) > 0
    ]


def _quantile(series: Array, q: float) -> float:
    return float(np.quantile(series, q))
