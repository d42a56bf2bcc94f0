# SPDX-License-Identifier: Apache-2.0
"""OSI's GroundTruth: protoc's C++ classes and ours."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.processes import ProcessPlan, plan

EXAMPLE = "wirecost bench --from benchmarks classes --objects 100"
GROUND_TRUTHS = ("full", "sparse")


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of the study; ``jobs``: compilers at the same time."""

    objects: tuple[int, ...] = option.setting(
        (10, 100, 1000, 10_000),
        "Moving objects of a GroundTruth.",
        check=option.within(1, 100_000),
    )
    contents: tuple[str, ...] = option.setting(
        GROUND_TRUTHS,
        "full: all vectors of an object's base, lanes, a model's name, attributes; "
        "sparse: four of the seven vectors.",
        "--content",
        known=GROUND_TRUTHS,
    )
    repetitions: int = option.samples(30, "Samples of each operation, over all processes.")
    processes: int = option.processes()
    allocators: tuple[str, ...] = option.setting(
        (),
        f"Comma-separated: {', '.join(NAMED)}. Default: glibc's at its defaults.",
        known=NAMED,
    )
    seed: int = option.seed("Seed of the processes' order.")
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.repetitions, self.processes, self.seed)
