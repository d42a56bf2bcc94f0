# SPDX-License-Identifier: Apache-2.0
"""``bench heap`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine import limits
from wirecost.measure.bench.engine.allocators import ALLOCATORS, MODES, AllocatorContender
from wirecost.measure.bench.engine.measurement import Measurement, Progress
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.heap import program
from wirecost.measure.bench.heap.choices import PAIRS, STUDIES, THREADS
from wirecost.measure.bench.heap.race import WARMUP, HeapWork, run_race
from wirecost.results.records.journal import Journal

SCENARIO = "heap"
PATTERNS = ("larson", "threadtest", "xmalloc", "cache-scratch")
TYPES = {
    "ns": "Float64",
    "minor_faults": "Int64",
    "major_faults": "Int64",
    "context_switches": "Int64",
    "cpu_ns": "Float64",
}


@dataclass(frozen=True)
class HeapSettings:
    """``samples``: callbacks of each process; ``rounds``: processes of each contender and case."""

    allocators: tuple[str, ...] = tuple(ALLOCATORS)
    studies: tuple[str, ...] = STUDIES
    samples: int = 1000
    rounds: int = PROCESSES
    threads: tuple[int, ...] = THREADS
    pairs: int = PAIRS

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        for option, value, most in (
            ("--samples", self.samples, 1_000_000),
            ("--rounds", self.rounds, 1000),
            *(("--threads", count, 256) for count in self.threads),
        ):
            limits.between(option, value, 1, most)
        limits.between("--pairs", self.pairs, 100_000, 1_000_000_000)

    def cases(self) -> list[HeapWork]:
        stresses = [HeapWork(p, threads, self.pairs) for p in PATTERNS for threads in self.threads]
        return [
            *([HeapWork("", 1, self.samples)] if "callback" in self.studies else []),
            *(stresses if "throughput" in self.studies else []),
        ]


def run(settings: HeapSettings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    program.check_installed()
    chosen = [ALLOCATORS[name] for name in settings.allocators]
    not_run = {
        allocator.name: why
        for allocator in chosen
        if (why := program.missing(allocator)) is not None
    }
    contenders = [
        AllocatorContender(a, mode) for a in chosen if a.name not in not_run for mode in MODES
    ]
    cases = settings.cases()
    measurement = Measurement(journal, progress, len(cases) * len(contenders) * settings.rounds)
    measurement.about(
        SCENARIO,
        {"libc": program.built()},
        samples=settings.samples,
        rounds=settings.rounds,
        warmup=WARMUP,
        pairs=settings.pairs,
        contenders={
            contender.key: {
                "library": contender.allocator.file,
                "settings": contender.settings,
            }
            for contender in contenders
        },
        not_run=not_run,
        types=TYPES,
    )
    for work in cases:
        entries = [work.entry(contender) for contender in contenders]
        with measurement.case(work.name, entries, settings.rounds) as case:
            run_race(work, case, settings.rounds)
