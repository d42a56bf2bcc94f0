# SPDX-License-Identifier: Apache-2.0
"""Gains of remedies, against the program as it is, in turns with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.results.analysis.compare.quantiles import Shift, shift

SAMPLES = pl.Schema({"remedy": pl.String, "process": pl.Int64, "case": pl.String, "ns": pl.Int64})
"""One row an execution. ``process``: the turn; ``case``: a section, an output or the whole."""
PROCESSES = pl.Schema(
    {
        "remedy": pl.String,
        "process": pl.Int64,
        "minor_faults": pl.Int64,
        "switches": pl.Int64,
        "output": pl.String,
    }
)
"""One row a process; ``output`` is a digest of what it gave out, counts may be null."""


@dataclass(frozen=True)
class Gain:
    """Gain of one case under one remedy. The shifts' ``a`` is the program as it is."""

    case: str
    remedy: str
    count: int
    median: Shift
    p99: Shift


@dataclass(frozen=True)
class Effects:
    """Effects of one remedy on whole processes.

    Means. ``outputs``: equal, different, or varying where those of the program as it is differ from
    one process to the next.
    """

    remedy: str
    processes: int
    minor_faults: float | None
    switches: float | None
    outputs: str


def gains_of(samples: pl.DataFrame, plain: str) -> list[Gain]:
    """Return gains by case, then by remedy, in the order of the rows; columns as ``SAMPLES``."""
    gains = []
    for (case,), rows in samples.group_by(["case"], maintain_order=True):
        before = rows.filter(remedy=plain)
        if before.is_empty():
            continue
        for (remedy,), after in rows.group_by(["remedy"], maintain_order=True):
            if remedy != plain:
                shifts = (_shift(before, after, q) for q in (0.5, 0.99))
                gains.append(Gain(str(case), str(remedy), len(after), *shifts))
    return gains


def effects_of(processes: pl.DataFrame, plain: str) -> list[Effects]:
    """Return effects of each remedy and of the program as it is; columns as ``PROCESSES``."""
    before = set(processes.filter(remedy=plain)["output"])
    effects = []
    for (remedy,), rows in processes.group_by(["remedy"], maintain_order=True):
        outputs = "equal" if set(rows["output"]) == before else "different"
        effects.append(
            Effects(
                remedy=str(remedy),
                processes=len(rows),
                minor_faults=_mean(rows["minor_faults"]),
                switches=_mean(rows["switches"]),
                outputs=outputs if len(before) == 1 else "varying",
            )
        )
    return effects


def _shift(before: pl.DataFrame, after: pl.DataFrame, q: float) -> Shift:
    series = [rows["ns"].to_numpy().astype(np.float64) for rows in (before, after)]
    took = [rows["process"].to_numpy() for rows in (before, after)]
    return shift(series[0], series[1], q, (took[0], took[1]))


def _mean(counts: pl.Series) -> float | None:
    counts = counts.drop_nulls()
    return None if counts.is_empty() else float(counts.to_numpy().mean())
