# SPDX-License-Identifier: Apache-2.0
"""``bench classes`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.bench import limits
from wirecost.bench.allocators import NAMED
from wirecost.bench.classes import program
from wirecost.bench.classes.choices import CONTENTS, OBJECTS
from wirecost.bench.classes.contender import PROGRAMS, Work
from wirecost.bench.classes.race import run_race
from wirecost.bench.processes import PROCESSES, Plan, plan
from wirecost.bench.scenario import Measurement, Progress
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "classes"
MOST_OBJECTS = 100_000


@dataclass(frozen=True)
class Settings:
    """``allocators``: of ``allocators.NAMED``; none for glibc's at its defaults."""

    objects: tuple[int, ...] = OBJECTS
    contents: tuple[str, ...] = CONTENTS
    repetitions: int = 30
    processes: int = PROCESSES
    seed: int = 1
    allocators: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        for count in self.objects:
            limits.between("--objects", count, 1, MOST_OBJECTS)
        limits.at_least_one("--repetitions", self.repetitions)
        limits.at_least_one("--processes", self.processes)
        limits.seed(self.seed)

    @property
    def plan(self) -> Plan:
        return plan(self.repetitions, self.processes, self.seed)


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    contenders, not_run = program.contenders(settings.allocators or ("",))
    if not contenders:
        reasons = "; ".join(f"{name}: {why}" for name, why in not_run.items())
        raise UserError(f"no contender can run; {reasons}")
    cases = [Work(content, count) for content in settings.contents for count in settings.objects]
    repetitions = settings.repetitions
    measurement = Measurement(journal, progress, len(cases) * len(contenders) * repetitions)
    measurement.about(
        SCENARIO,
        PROGRAMS["wirecost"].built(),
        repetitions=repetitions,
        processes=settings.plan.processes,
        seed=settings.seed,
        contenders={one.key: {"library": one.version} for one in contenders},
        allocators={name: NAMED[name].settings for name in settings.allocators},
        not_run=not_run,
        types={"ns": "Float64"},
    )
    for work in cases:
        entries = [contender.entry(work) for contender in contenders]
        with measurement.case(work.name, entries, repetitions) as case:
            run_race(work, case, settings.plan)
