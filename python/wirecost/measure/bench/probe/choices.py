# SPDX-License-Identifier: Apache-2.0
"""Settings of ``bench probe``. Imports little: the command line lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirecost.measure.bench.engine.option import (
    Option,
    Processes,
    ScenarioSettings,
    seed_option,
    within,
)
from wirecost.measure.bench.engine.processes import PROCESSES, ProcessPlan, plan

MOST_SAMPLES = 1000
"""Most samples, since a log holds every section that is timed."""


@dataclass(frozen=True)
class ProbeSettings(ScenarioSettings):
    """Settings of the race of probes."""

    samples: Annotated[
        int,
        Option(
            "Samples of each contender, 500 sections each, in all processes.",
            metavar="N",
            check=within(1, MOST_SAMPLES),
        ),
    ] = 200
    processes: Processes = PROCESSES
    seed: Annotated[int, seed_option("Seed of the processes' order.")] = 1

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.samples, self.processes, self.seed)
