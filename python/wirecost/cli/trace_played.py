# SPDX-License-Identifier: Apache-2.0
"""Counts of a trace that was played, as tables and as JSON."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted


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


def played_answer(trace: Path, fmu: Path, played: Played, status: int) -> Answer:
    """Return how long the FMU's steps took, and the lengths of the lists."""
    times = np.asarray(played.step_ns)
    median, p99 = (float(np.quantile(times, q)) for q in (0.5, 0.99))
    cells = [units.time(median), units.time(p99), units.time(float(times.max()))]
    steps = Table(
        f"{trace.name} · {fmu.name}",
        ["", "frames", "median", "p99", "max"],
        [["step", str(len(times)), *cells]],
        [],
    )
    counts = [
        [path, *(f"{int(v):,}" for v in (min(lengths), np.median(lengths), max(lengths)))]
        for path, lengths in played.lists.items()
    ]
    lists = Table("Messages", ["elements per step", "min", "median", "max"], counts, [])
    return Answer(
        f"{counted(len(times), 'frame')} of {trace.name}: {cells[0]} per step in the median.",
        steps,
        more="--all prints the lengths of all lists" if counts else "",
        sections=[Section([steps, lists])],
        heading=f"{trace.name} played into {fmu.name}",
        document={
            "file": str(trace),
            "fmu": str(fmu),
            "frames": len(times),
            "median_ns": median,
            "p99_ns": p99,
            "step_ns": list(played.step_ns),
            "lists": {path: list(lengths) for path, lengths in played.lists.items()},
        },
        status=status,
    )
