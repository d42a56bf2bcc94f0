# SPDX-License-Identifier: Apache-2.0
"""``bench heap`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

from wirecost.measure.bench.engine.allocators import ALLOCATORS, MODES, AllocatorContender
from wirecost.measure.bench.engine.measurement import Measurement, Progress
from wirecost.measure.bench.heap import program
from wirecost.measure.bench.heap.choices import HeapSettings
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
    cases = _cases(settings)
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


def _cases(settings: HeapSettings) -> list[HeapWork]:
    works = [HeapWork("", 1, settings.samples)] if "callback" in settings.studies else []
    if "throughput" in settings.studies:
        works += [HeapWork(p, n, settings.pairs) for p in PATTERNS for n in settings.threads]
    return works
