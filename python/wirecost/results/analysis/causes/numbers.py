# SPDX-License-Identifier: Apache-2.0
"""The times of a section's executions, and the numbers that may explain them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.results.analysis.causes.kinds import INPUT, is_processor_time, is_time
from wirecost.results.analysis.causes.linear import Array
from wirecost.results.records.probe_log import COUNTER

FEWEST = 30
SWITCHES, BLOCKED = "context-switches", "blocked-ns"
JITTER_NS = {BLOCKED: 2000.0}
"""Nanoseconds by which reading three clocks one after another moves a time: less is none."""
LONGEST_NS = 2.0**63
"""Of a log; sums of the squares of longer ones overflow."""
COUNTED = 0.9
"""Share of the executions in which a counter must have a value."""
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Executions:
    """Executions of one section; every array has the shape (executions,) and only finite values."""

    ns: Array
    numbers: dict[str, Array]
    """Numbers by name: counters, and ``value`` for what the program recorded."""
    absent: list[str]
    """Counters that were asked for and have too few values."""
    processor_ns: Array | None = None
    """Processor time of each, where it was counted in all."""

    @cached_property
    def _order(self) -> Indices:
        """From the quickest to the slowest."""
        return np.argsort(self.ns, kind="stable")

    @property
    def slowest(self) -> Indices:
        """The slowest 1 %, at least one."""
        return self._order[-max(1, len(self.ns) // 100) :]

    @property
    def around_median(self) -> Indices:
        """The fifth of the executions that took about as long as the median one."""
        count = len(self.ns)
        return self._order[int(0.4 * count) : int(np.ceil(0.6 * count))]


def executions_of(rows: pl.DataFrame) -> Executions | None:
    """Return the executions.

    It is None where fewer than ``FEWEST`` have a possible time and all numbers.
    """
    if len(rows) < FEWEST:
        return None
    numbers, absent = _numbers(rows)
    ns = _floats(rows["ns"])
    whole = np.abs(ns) <= LONGEST_NS
    for array in numbers.values():
        whole &= np.isfinite(array)
    if whole.sum() < FEWEST:
        return None
    named = {name: array[whole] for name, array in numbers.items()}
    return Executions(ns[whole], named, absent, _processor(rows, whole))


def _processor(rows: pl.DataFrame, whole: NDArray[np.bool_]) -> Array | None:
    for name in rows.columns:
        if name.startswith(COUNTER) and is_processor_time(name.removeprefix(COUNTER)):
            counted = _floats(rows[name])[whole]
            return counted if bool(np.isfinite(counted).all()) else None
    return None


def _numbers(rows: pl.DataFrame) -> tuple[dict[str, Array], list[str]]:
    """Return what may explain the time, and the names of counters that have too few values."""
    named = {INPUT: rows["value"]} if "value" in rows.columns else {}
    named |= {
        name.removeprefix(COUNTER): rows[name] for name in rows.columns if name.startswith(COUNTER)
    }
    arrays = {name: _certain(name, numbers) for name, numbers in named.items() if not is_time(name)}
    if SWITCHES in arrays and BLOCKED in arrays:  # who waits leaves the processor
        arrays[BLOCKED] = np.where(
            (arrays[SWITCHES] == 0) & np.isfinite(arrays[BLOCKED]), 0.0, arrays[BLOCKED]
        )
    counted = {n: a for n, a in arrays.items() if np.isfinite(a).sum() >= COUNTED * len(a)}
    marks = "kind" in rows.columns and (rows["kind"] != "section").all()
    absent = [name for name in arrays if name not in counted and name != INPUT and not marks]
    return counted, absent


def _certain(name: str, series: pl.Series) -> Array:
    values = _floats(series)
    return np.where(values < JITTER_NS.get(name, -np.inf), 0.0, values)


def _floats(series: pl.Series) -> Array:
    if series.null_count():
        series = series.cast(pl.Float64).fill_null(float("nan"))
    values: Array = series.to_numpy().astype(np.float64)
    return values
