# SPDX-License-Identifier: Apache-2.0
"""All contenders at once: what was planted into their sections, then samples in turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wirecost.bench.entry import Sample
from wirecost.bench.probe.program import PROGRAM, Contender, Planted
from wirecost.bench.probe.verification import absent, fault
from wirecost.bench.program import rounds
from wirecost.bench.scenario import Case


def run_race(case: Case[Contender], samples: int, folder: Path) -> None:
    """Fills the entries. Contender i logs into ``folder / str(i)``. Raises ProgramFailedError."""
    planted: list[list[Planted]] = [[] for _ in case.entries]

    def measured() -> Iterator[Sample]:
        for line in PROGRAM.lines("measure", str(samples), str(folder)):
            kind, number, *rest = line.split("\t")
            entry = case.entries[int(number)]
            if kind == "missing":
                entry.missing = rest[0]
            elif kind == "planted":
                planted[int(number)].append(Planted(*map(int, rest)))
            else:
                yield Sample(entry.key, int(rest[0]), "total", float(rest[1]))

    logs = [folder / str(entry.contender.number) for entry in case.entries]
    for turn, found in enumerate(rounds(measured(), case.report)):
        if turn == 0:
            for entry, log in zip(case.entries, logs, strict=True):
                entry.missing = entry.missing or absent(entry.contender, log)
        case.keep(found)
    for entry, sections, log in zip(case.entries, planted, logs, strict=True):
        if not entry.missing:
            entry.failure = fault(entry.contender, sections, entry.samples, log)
