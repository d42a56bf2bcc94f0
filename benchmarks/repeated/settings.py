# SPDX-License-Identifier: Apache-2.0
"""Lists of sensors' elements in rows and in columns."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench --from benchmarks repeated --list radar-reflection"
LISTS = (
    "radar-reflection",
    "radar-detection",
    "lidar-reflection",
    "lidar-detection",
    "moving-object",
    "point",
)
SCANNED_LISTS = ("lidar-reflection", "lidar-detection", "point")
"""Lists that a scan fills."""
LIST_COUNTS = (10, 1000, 100_000)
"""Numbers of elements of the synthetic lists."""


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of the study; ``jobs``: compilers at the same time."""

    lists: tuple[str, ...] = option.setting(
        LISTS, "Lists, comma-separated; default: all.", "--list", known=LISTS
    )
    counts: tuple[int, ...] = option.setting(
        (),
        "Elements of the synthetic lists; default: 10,1000,100000, or none with --scan.",
        "--count",
        check=option.within(1, 2_000_000),
    )
    scans: tuple[Path, ...] = option.setting(
        (),
        "A real scan, as lidar lists and points; can be repeated.",
        "--scan",
        metavar="FILE.pcd|.ply|.bin",
    )
    repetitions: int = option.samples(30, "Samples of each stage, in all processes.")
    processes: int = option.processes()
    seed: int = option.seed("Seed of the synthetic lists.")
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        super().check()
        if self.scans and not set(self.lists) & set(SCANNED_LISTS):
            raise UserError(
                f"--scan: fills only {', '.join(SCANNED_LISTS)}; choose one with --list"
            )

    @property
    def synthetic_counts(self) -> tuple[int, ...]:
        """Numbers of elements of the synthetic lists."""
        return self.counts or (() if self.scans else LIST_COUNTS)

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.repetitions, self.processes, self.seed)
