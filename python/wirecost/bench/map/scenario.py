# SPDX-License-Identifier: Apache-2.0
"""``bench map`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

from wirecost.bench import limits
from wirecost.bench.map.race import Work, run_race
from wirecost.bench.processes import PROCESSES, Plan, plan
from wirecost.bench.scenario import Measurement, Progress
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "map"
MOST_SUBSCRIBERS = 64
SPARE = 1.2
"""Times the memory that the maps take must be free."""
CONTENDERS = {
    "copied": {
        "library": "loopback sockets of the operating system",
        "what": "each subscriber receives the bytes into new memory of its own, as TCPROS does",
    },
    "shared": {
        "library": "memfd of the operating system",
        "what": "made in sealed shared memory, its descriptor sent, mapped read-only",
    },
}


@dataclass(frozen=True)
class Settings:
    """``size``: bytes of the map."""

    size: int = 100_000_000
    subscribers: tuple[int, ...] = (1, 4, 8)
    repetitions: int = 20
    processes: int = PROCESSES
    seed: int = 1

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        if not 1_000_000 <= self.size <= 4_000_000_000:
            raise UserError(f"--size {self.size / 1e6:g}: must lie between 1 and 4000 MB")
        for count in self.subscribers:
            limits.between("--subscribers", count, 1, MOST_SUBSCRIBERS)
        limits.at_least_one("--repetitions", self.repetitions)
        limits.at_least_one("--processes", self.processes)
        limits.seed(self.seed)
        needed = SPARE * self.size * (max(self.subscribers) + 2)
        free = psutil.virtual_memory().available
        if needed > free:
            raise UserError(
                f"--size {self.size / 1e6:g}: copies for {max(self.subscribers)} subscribers need "
                f"{needed / 1e9:.1f} GB, {free / 1e9:.1f} GB are free; choose a smaller map"
            )

    @property
    def plan(self) -> Plan:
        return plan(self.repetitions, self.processes, self.seed)


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    repetitions = settings.repetitions
    total = len(settings.subscribers) * len(CONTENDERS) * repetitions
    measurement = Measurement(journal, progress, total)
    measurement.about(
        SCENARIO,
        repetitions=repetitions,
        processes=settings.plan.processes,
        seed=settings.seed,
        contenders=CONTENDERS,
    )
    for count in settings.subscribers:
        work = Work(settings.size, count, settings.seed)
        entries = [work.entry(contender) for contender in CONTENDERS]
        with measurement.case(work.name, entries, repetitions) as case:
            run_race(work, case, settings.plan)
