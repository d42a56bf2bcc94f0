# SPDX-License-Identifier: Apache-2.0
"""Probes: what a section costs that is timed and counted.

Every contender has a process of its own, since a process records one set of counters; they are
measured in turns.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.processes import ProcessPlan, plan

EXAMPLE = "wirecost bench --from benchmarks probe"
MOST_SAMPLES = 1000
"""Most samples, since a log holds every section that is timed."""


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of the race of probes."""

    samples: int = option.setting(
        200,
        "Samples of each contender, 500 sections each, in all processes.",
        check=option.within(1, MOST_SAMPLES),
    )
    processes: int = option.processes()
    seed: int = option.seed("Seed of the processes' order.")

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.samples, self.processes, self.seed)
