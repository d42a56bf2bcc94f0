# SPDX-License-Identifier: Apache-2.0
"""The samples of one race: medians of every contender's stages, and how they compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.results.analysis.intervals import Array, Estimate, Resampler, median, ratio

Name = tuple[str, str]
"""A contender and its mode; scenarios without modes have the empty one."""


@dataclass(frozen=True)
class Ratio:
    """Ratio of a median to another contender's of the same stage."""

    to: str
    """The other contender, with its mode if it has one."""
    median: float
    ci95: tuple[float, float]


def label(name: Name) -> str:
    """Return ``wirecost-ros1 reused``."""
    return " ".join(part for part in name if part)


def _comparable(samples: pl.DataFrame) -> pl.DataFrame:
    """Return what every contender has: a race cut short ends within a turn.

    In a process, one may have lost messages that the others have not.
    """
    parts = samples.partition_by("contender", "mode")
    shared = set.intersection(*(set(part["process"].unique()) for part in parts))
    if len(shared) > 1:
        return samples.filter(pl.col("process").is_in(shared))
    complete = min(
        int(part["repetition"].max()) + 1  # type: ignore[arg-type]  # integers by schema
        for part in parts
    )
    return samples.filter(pl.col("repetition") < complete)


class Race:
    """Samples of one race.

    ``samples`` has the columns contender, mode, stage, process, repetition and ns.
    """

    def __init__(self, samples: pl.DataFrame) -> None:
        columns = ["contender", "mode"]
        self.samples = samples
        self.names: list[Name] = samples.select(columns).unique(maintain_order=True).rows()
        parts = {
            ((str(contender), str(mode)), str(stage)): part.sort("process", maintain_order=True)
            for (contender, mode, stage), part in _comparable(samples).group_by(
                [*columns, "stage"], maintain_order=True
            )
        }
        self.series: dict[tuple[Name, str], Array] = {
            which: part["ns"].to_numpy().astype(np.float64) for which, part in parts.items()
        }
        """Nanoseconds of a contender's stage, shape (repetitions,)."""
        self.stages = list(dict.fromkeys(stage for _, stage in self.series))
        by_series = {which: part["process"].to_numpy() for which, part in parts.items()}
        self.processes = max(len(np.unique(processes)) for processes in by_series.values())
        """Number of processes that took the repetitions of a contender."""
        each = round(max(map(len, by_series.values())) / self.processes)
        self._resampled = {
            which: Resampler(by_series[which], each).medians(ns)
            for which, ns in self.series.items()
        }

    def median(self, name: Name, stage: str) -> Estimate:
        return median(self.series[name, stage], self._resampled[name, stage])

    def ratio(self, name: Name, stage: str, to: Name | None) -> Ratio | None:
        """Compare; None where the other did not run, or its median cannot be divided by."""
        if to is None or (to, stage) not in self.series:
            return None
        own, other = (name, stage), (to, stage)
        interval = ratio(
            self.series[own], self._resampled[own], self.series[other], self._resampled[other]
        )
        return Ratio(label(to), interval.value, (interval.low, interval.high)) if interval else None

    def without_mode(self, name: Name | None) -> Name | None:
        """Return the first mode of a contender that has modes only, if it is asked for without.

        Likewise of a mode's allocators.
        """
        if name is None or name in self.names:
            return name
        begin = f"{name[1]} " if name[1] else ""
        others = (o for o in self.names if o[0] == name[0] and o[1].startswith(begin))
        return next(others, None)

    def quickest(self, names: Iterable[Name]) -> Name | None:
        """Return the contender with the least median total."""
        ran = [name for name in names if (name, "total") in self.series]
        return min(ran, key=lambda name: float(np.median(self.series[name, "total"])), default=None)
