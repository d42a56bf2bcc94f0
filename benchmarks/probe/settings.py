# SPDX-License-Identifier: Apache-2.0
"""Settings of ``bench probe``. Imports little: the command line lists them."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.processes import ProcessPlan, plan

MOST_SAMPLES = 1000
"""Most samples, since a log holds every section that is timed."""


@dataclass(frozen=True)
class ProbeSettings(option.ScenarioSettings):
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
