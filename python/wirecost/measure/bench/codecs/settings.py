# SPDX-License-Identifier: Apache-2.0
"""Compare codecs of point clouds by bytes, time and errors.

Every codec runs in one thread, in turns with the others; errors are measured on what came out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.system.lengths import LENGTH, metres

EXAMPLE = "wirecost bench codecs drive.mcap --topic /points --error 1mm"


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Scans, and what lossy codecs may change in them."""

    files: tuple[Path, ...] = option.argument(
        "[FILE]…",
        "Scans (.pcd, .ply, KITTI's .bin) or a recording; default: the real scans in "
        "WIRECOST_DATA, or a synthetic one.",
        takes="PointCloud2",
    )
    topic: str = option.setting(
        "", "Topic of PointCloud2 in a recording; default: the largest.", metavar="NAME"
    )
    error: float = option.setting(
        0.0005,
        "Largest error that lossy codecs may make in x, y and z, such as 1mm or 0.001.",
        metavar=LENGTH,
        parse=metres,
        shown="0.5mm",
    )
    rounds: int = option.setting(
        30, "How many times each codec runs.", check=option.within(1, 10_000)
    )
    processes: int = option.processes(1)
    seed: int = option.seed("Seed of the codecs' order.")

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the rounds in processes."""
        return plan(self.rounds, self.processes, self.seed)
