# SPDX-License-Identifier: Apache-2.0
"""The race of the schemes, and what is known of each before it runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from wirecost.measure.bench.engine.entry import Entry, StageSample
from wirecost.measure.bench.engine.measurement import Case, Measurement
from wirecost.measure.bench.engine.processes import ProcessPlan, measured
from wirecost.measure.bench.engine.program import rounds
from wirecost.system import scratch

from . import program
from .program import (
    PROGRAM,
    SECTIONS_OF_A_SAMPLE,
    Planted,
    ProbeContender,
)
from .settings import Settings
from .verification import absent, fault


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all contenders. Raises UserError on what cannot be run."""
    PROGRAM.check_installed()
    contenders = program.contenders()
    entries = [contender.entry() for contender in contenders]
    measurement.about(
        PROGRAM.built(),
        total=settings.samples * len(entries),
        repetitions=settings.samples,
        processes=settings.plan.processes,
        seed=settings.seed,
        sections_of_a_sample=SECTIONS_OF_A_SAMPLE,
        contenders={
            f"{c.case}: {c.label}": {
                "what": c.what,
                "system_calls": c.system_calls,
                "library": "none" if c.name in {"floor", "pmu_analyzer"} else "wirecost",
            }
            for c in contenders
        },
    )
    # In memory, as docs/probe.md advises.
    with scratch.folder("probe", in_memory=True) as folder:
        try:
            with measurement.case("sections", entries, settings.samples) as case:
                _run_race(case, settings.plan, folder / "logs")
        finally:
            not_run = {entry.key: entry.missing for entry in entries if entry.missing}
            measurement.revise(not_run=not_run)


def _run_race(case: Case[ProbeContender], plan: ProcessPlan, folder: Path) -> None:
    """Fill the entries. ``folder``: for the contenders' logs. Raises ProgramFailedError."""
    entries = {entry.key: entry for entry in case.entries}

    def measure(keys: list[str], repetitions: int) -> Iterator[list[StageSample]]:
        folder.mkdir()
        present = [entries[key] for key in keys if not entries[key].missing]
        yield from _process(case, present, repetitions, folder)
        shutil.rmtree(folder)

    for samples in measured(plan, list(entries), measure):
        case.keep(samples)


def _process(
    case: Case[ProbeContender], entries: list[Entry[ProbeContender]], repetitions: int, folder: Path
) -> Iterator[list[StageSample]]:
    """Run a process of each contender; one that did not do its work fails.

    Contender i logs into ``folder / str(i)``.
    """
    by_number = {str(entry.contender.number): entry for entry in entries}
    planted: dict[str, list[Planted]] = {number: [] for number in by_number}

    def samples() -> Iterator[StageSample]:
        for line in PROGRAM.lines("measure", str(repetitions), str(folder), *by_number):
            kind, number, *rest = line.split("\t")
            if kind == "missing":
                by_number[number].missing = rest[0]
            elif kind == "planted":
                planted[number].append(Planted(*map(int, rest)))
            else:
                yield StageSample(by_number[number].key, int(rest[0]), "total", float(rest[1]))

    for turn, round_samples in enumerate(rounds(samples(), case.report)):
        if turn == 0:
            for number, entry in by_number.items():
                entry.missing = entry.missing or absent(entry.contender, folder / number)
        yield round_samples
    for number, entry in by_number.items():
        if not (entry.missing or entry.failure):
            entry.failure = fault(entry.contender, planted[number], repetitions, folder / number)
