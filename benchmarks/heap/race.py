# SPDX-License-Identifier: Apache-2.0
"""All cases of the study, and what is known of each before it runs."""

from __future__ import annotations

from wirecost.measure.bench.engine.allocators import ALLOCATORS, MODES, AllocatorContender
from wirecost.measure.bench.engine.measurement import Measurement

from . import program
from .settings import Settings
from .turns import WARMUP, HeapWork, run_race

PATTERNS = ("larson", "threadtest", "xmalloc", "cache-scratch")
TYPES = {
    "ns": "Float64",
    "minor_faults": "Int64",
    "major_faults": "Int64",
    "context_switches": "Int64",
    "cpu_ns": "Float64",
}


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
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
    measurement.about(
        {"libc": program.built()},
        total=len(cases) * len(contenders) * settings.rounds,
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


def _cases(settings: Settings) -> list[HeapWork]:
    works = [HeapWork("", 1, settings.samples)] if "callback" in settings.studies else []
    if "throughput" in settings.studies:
        works += [HeapWork(p, n, settings.pairs) for p in PATTERNS for n in settings.threads]
    return works
