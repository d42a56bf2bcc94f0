# SPDX-License-Identifier: Apache-2.0
"""``bench repeated`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirecost.bench import limits
from wirecost.bench.processes import PROCESSES, Plan, plan
from wirecost.bench.repeated import program
from wirecost.bench.repeated.choices import COUNTS, LISTS
from wirecost.bench.repeated.content import OF_SCANS, of_scan, synthetic
from wirecost.bench.repeated.program import MEASURED
from wirecost.bench.repeated.race import ZSTD_LEVEL, Work, run_race
from wirecost.bench.scenario import Measurement, Progress
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "lists"
LARGEST_COUNT = 2_000_000


@dataclass(frozen=True)
class Settings:
    """``scans``: real scans, measured beside or, where no counts are given, instead of synthetic
    elements."""

    lists: tuple[str, ...] = LISTS
    counts: tuple[int, ...] = COUNTS
    scans: tuple[Path, ...] = ()
    repetitions: int = 30
    seed: int = 1
    processes: int = PROCESSES

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        for count in self.counts:
            limits.between("--count", count, 1, LARGEST_COUNT)
        limits.at_least_one("--repetitions", self.repetitions)
        limits.at_least_one("--processes", self.processes)
        limits.seed(self.seed)
        if self.scans and not set(self.lists) & set(OF_SCANS):
            raise UserError(f"--scan: fills only {', '.join(OF_SCANS)}; choose one with --list")

    @property
    def plan(self) -> Plan:
        return plan(self.repetitions, self.processes, self.seed)


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    MEASURED.check_installed()
    cases = [(work, program.contenders(work.schema.name)) for work in _cases(settings)]
    repetitions = settings.repetitions
    total = sum(len(contenders) for _, contenders in cases) * repetitions
    measurement = Measurement(journal, progress, total)
    measurement.about(
        SCENARIO,
        MEASURED.built(),
        repetitions=repetitions,
        processes=settings.plan.processes,
        seed=settings.seed,
        zstd_level=ZSTD_LEVEL,
        contenders={f"{c.name} {c.mode}": c.about for _, contenders in cases for c in contenders},
        errors={
            work.schema.name: {f.name: f.error for f in work.schema.fields if f.error > 0}
            for work, _ in cases
        },
        types={"ns": "Float64"},
    )
    for work, contenders in cases:
        entries = [work.entry(contender) for contender in contenders]
        with measurement.case(work.name, entries, repetitions) as case:
            run_race(work, case, settings.plan)


def _cases(settings: Settings) -> list[Work]:
    """Synthetic lists by count, then scans; an element has all that a list's schema entry names."""
    known = program.lists()
    return [
        Work(known[name], name, synthetic(name, count, settings.seed))
        for name in settings.lists
        for count in settings.counts
    ] + [
        Work(known[name], f"{name} of scan {path.parent.name}/{path.stem}", of_scan(name, path))
        for path in settings.scans
        for name in settings.lists
        if name in OF_SCANS
    ]
