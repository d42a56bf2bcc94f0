# SPDX-License-Identifier: Apache-2.0
"""All contenders at once: what was planted into their sections, then samples in turns."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from wirecost.measure.bench.engine.entry import Entry, StageSample
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import ProcessPlan, measured
from wirecost.measure.bench.engine.program import rounds
from wirecost.measure.bench.probe.program import PROGRAM, Planted, ProbeContender
from wirecost.measure.bench.probe.verification import absent, fault


def run_race(case: Case[ProbeContender], plan: ProcessPlan, folder: Path) -> None:
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
