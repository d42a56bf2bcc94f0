# SPDX-License-Identifier: Apache-2.0
"""``bench lists``: lists of several sensors' elements, and real scans, in every encoding."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from wirecost.bench.lists import program
from wirecost.bench.lists.content import LISTS, OF_SCANS, Content, of_scan, synthetic
from wirecost.bench.lists.program import List
from wirecost.bench.lists.race import ZSTD_LEVEL, Lane, run_race
from wirecost.bench.recorded import RecordedRace
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "lists"
COUNTS = (10, 1000, 100_000)
LARGEST_COUNT = 2_000_000
COLUMNS = ("case", "variant", "build", "contender", "mode", "wire", "elements")

Progress = Callable[[int, int, str], None]
"""Called with samples taken, samples in all, and what runs now."""


@dataclass(frozen=True)
class Settings:
    """``scans``: real scans, measured beside or, where no counts are given, instead of synthetic
    elements."""

    lists: tuple[str, ...] = LISTS
    counts: tuple[int, ...] = COUNTS
    scans: tuple[Path, ...] = ()
    repetitions: int = 20
    seed: int = 1

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        for count in self.counts:
            if not 1 <= count <= LARGEST_COUNT:
                raise UserError(f"--count {count}: must lie between 1 and {LARGEST_COUNT}")
        if self.repetitions < 1:
            raise UserError(f"--repetitions {self.repetitions}: at least 1 is needed")
        if not 0 <= self.seed < 2**63:
            raise UserError(f"--seed {self.seed}: must lie between 0 and 2^63 - 1")
        if self.scans and not set(self.lists) & set(OF_SCANS):
            raise UserError(f"--scan: fills only {', '.join(OF_SCANS)}; choose one with --list")


@dataclass(frozen=True)
class _Input:
    schema: List
    variant: str
    """The list, or the scan's name with it."""
    content: Content

    @property
    def count(self) -> int:
        return len(self.content[self.schema.fields[0].name])

    @property
    def case(self) -> str:
        return f"{self.variant}, {self.count} elements"


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    program.check_installed()
    inputs = _inputs(settings, program.lists())
    known = {
        f"{c.name} {c.mode}": {"wire": c.wire, "library": c.library, "guarantees": c.guarantees}
        for one in inputs
        for c in program.contenders(one.schema.name)
    }
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        repetitions=settings.repetitions,
        seed=settings.seed,
        zstd_level=ZSTD_LEVEL,
        environment=environment() | program.built(),
        contenders=known,
        errors={
            one.schema.name: {f.name: f.error for f in one.schema.fields if f.error > 0}
            for one in inputs
        },
        types={"ns": "Float64"},
    )
    _run_cases(inputs, settings.repetitions, journal, progress)


def _inputs(settings: Settings, known: dict[str, List]) -> list[_Input]:
    """Synthetic lists by count, then scans; an element has all that a list's schema entry names."""
    return [
        _Input(known[name], name, synthetic(name, count, settings.seed))
        for name in settings.lists
        for count in settings.counts
    ] + [
        _Input(known[name], f"{name} of scan {path.parent.name}/{path.stem}", of_scan(name, path))
        for path in settings.scans
        for name in settings.lists
        if name in OF_SCANS
    ]


def _run_cases(
    inputs: list[_Input], repetitions: int, journal: Journal, progress: Progress
) -> None:
    sizes = [len(program.contenders(one.schema.name)) * repetitions for one in inputs]
    done, total = 0, sum(sizes)
    for one in inputs:

        def report(samples: int, text: str, label: str = one.case) -> None:
            nonlocal done
            done += samples
            progress(done, total, f"{label}: {text}")

        lanes = [Lane(contender) for contender in program.contenders(one.schema.name)]
        about = {lane.contender.key: partial(_about, lane, one) for lane in lanes}
        race = RecordedRace(journal, about, COLUMNS)
        try:
            run_race(one.schema, one.content, lanes, repetitions, report, race.keep)
        finally:
            race.end()


def _about(lane: Lane, one: _Input) -> dict[str, Any]:
    return {
        "case": one.case,
        "variant": one.variant,
        "build": "release",
        "list": one.schema.name,
        "elements": one.count,
        "contender": lane.contender.name,
        "mode": lane.contender.mode,
        "wire": lane.contender.wire,
        "message_bytes": lane.bytes,
        "message_digest": lane.digest,
        "compressed_bytes": lane.compressed_bytes,
        "allocations": lane.allocations,
        "failure": lane.failure,
    }
