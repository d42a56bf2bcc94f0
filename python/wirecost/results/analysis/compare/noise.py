# SPDX-License-Identifier: Apache-2.0
"""Distance of two runs of the same program: what no interval within a run can show.

Memory laid out otherwise, another core, a busier neighbour move all samples of a run together. Of
many rows the changes themselves show how far. A few rows are a few random draws, so each counts as
far as its own interval reaches. An interval that resamples processes has in it already what they
differ by: where it contains 0, two runs of A show no more than that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from wirecost.results.analysis.compare.counters import mean_difference
from wirecost.results.analysis.compare.processes import Processes, enough
from wirecost.results.analysis.compare.quantiles import shift
from wirecost.results.analysis.compare.runs import (
    TIME,
    ComparedRun,
    Key,
    finite,
    processes_of,
    rows_of,
)
from wirecost.system.errors import UserError

COVERED = 0.95
"""Share of rows whose change between equal runs stays within the reported noise."""
LEAST_ROWS = 20
"""With fewer, no share of 95 % can be told from all."""

Noise = dict[tuple[Key, str], float]
"""Share by which two runs of the same program may differ, by row and percentile or counter."""


def noise(
    a: ComparedRun,
    again: ComparedRun,
    names: list[str],
    quantiles: Callable[[int], dict[str, float]],
    counters: list[str],
) -> Noise:
    """Return the noise between two runs of A.

    ``quantiles`` gives the percentiles that so many samples allow. Raises UserError if the runs
    have no row in common.
    """
    if a.scenario != again.scenario:
        raise UserError(
            f"--again {again.path}: holds {again.scenario}, A {a.scenario}; name a second run of A"
        )
    first, second = rows_of(a, names), rows_of(again, names)
    changes: dict[str, dict[Key, tuple[float, float]]] = {}
    for key in first.keys() & second.keys():
        of_row = _times(first[key], second[key], quantiles)
        for counter in counters:
            of_row |= _counts(first[key], second[key], counter)
        for name, sizes in of_row.items():
            changes.setdefault(name, {})[key] = sizes
    if not changes:
        raise UserError(f"--again {again.path}: has no row of A; measure the same cases as A")
    return {
        (key, name): share
        for name, of_rows in changes.items()
        for key, share in _margins(of_rows).items()
    }


def _margins(of_rows: dict[Key, tuple[float, float]]) -> dict[Key, float]:
    if len(of_rows) < LEAST_ROWS:
        return {key: farthest for key, (_, farthest) in of_rows.items()}
    common = float(np.quantile([size for size, _ in of_rows.values()], COVERED))
    return dict.fromkeys(of_rows, common)


def _times(
    one: pl.DataFrame, other: pl.DataFrame, quantiles: Callable[[int], dict[str, float]]
) -> dict[str, tuple[float, float]]:
    """Return, by percentile, the size of its change and of the farther end of its interval."""
    a, b = finite(one, TIME), finite(other, TIME)
    taken_by = processes_of(one, TIME), processes_of(other, TIME)
    sizes = {}
    for name, q in quantiles(min(len(a), len(b))).items():
        moved = shift(a, b, q, taken_by)
        if moved.change is not None and moved.change > -1:
            sizes[name] = _sizes(moved.change, moved.ci95, taken_by)
    return sizes


def _counts(one: pl.DataFrame, other: pl.DataFrame, counter: str) -> dict[str, tuple[float, float]]:
    if counter not in other.columns:
        return {}
    a, b = finite(one, counter), finite(other, counter)
    if not len(a) or not len(b):
        return {}
    taken_by = processes_of(one, counter), processes_of(other, counter)
    moved = mean_difference(a, b, taken_by)
    if moved.change is None or moved.change <= -1:
        return {}
    return {counter: _sizes(moved.change, moved.change95, taken_by)}


def _sizes(
    change: float,
    ci95: tuple[float, float] | None,
    taken_by: tuple[Processes | None, Processes | None],
) -> tuple[float, float]:
    if ci95 is not None and ci95[0] <= 0 <= ci95[1] and all(map(enough, taken_by)):
        return size(change), 0.0
    ends = [end for end in ci95 or () if end > -1]
    return size(change), max(map(size, [change, *ends]))


def size(change: float) -> float:
    """Return the size of a change in either direction: noise speeds up as much as it slows down."""
    return max(change, 1 / (1 + change) - 1) if change > -1 else float("inf")
