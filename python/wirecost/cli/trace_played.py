# SPDX-License-Identifier: Apache-2.0
"""Counts of a trace that was played, as tables and as JSON."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Table


@dataclass
class Played:
    """Numbers of a played trace, one per step."""

    step_ns: array[int] = field(default_factory=lambda: array("q"))
    lists: dict[str, array[int]] = field(default_factory=dict)
    """Lengths by path, which begins with the message's type."""

    def add(self, step_ns: int, lists: dict[str, int]) -> None:
        """Add a step; a path that is missing in ``lists`` has length 0 in it."""
        steps = len(self.step_ns)
        self.step_ns.append(step_ns)
        for path in lists:
            self.lists.setdefault(path, array("q", bytes(8 * steps)))
        for path, counts in self.lists.items():
            counts.append(lists.get(path, 0))


def played_tables(title: str, played: Played) -> Iterable[Table]:
    times = np.asarray(played.step_ns)
    rows = [
        [
            "step",
            str(len(times)),
            *(units.time(float(np.quantile(times, q))) for q in (0.5, 0.99)),
            units.time(float(times.max())),
        ]
    ]
    yield Table(title, ["", "frames", "median", "p99", "max"], rows, [])
    counted = [
        [path, *(f"{int(v):,}" for v in (min(counts), np.median(counts), max(counts)))]
        for path, counts in played.lists.items()
    ]
    if counted:
        yield Table("Messages", ["elements per step", "min", "median", "max"], counted, [])


def played_document(trace: Path, fmu: Path, played: Played) -> dict[str, object]:
    times = np.asarray(played.step_ns)
    return {
        "file": str(trace),
        "fmu": str(fmu),
        "frames": len(times),
        "median_ns": float(np.median(times)),
        "p99_ns": float(np.quantile(times, 0.99)),
        "step_ns": list(played.step_ns),
        "lists": {path: list(counts) for path, counts in played.lists.items()},
    }
