# SPDX-License-Identifier: Apache-2.0
"""``bench lists``: lists of several sensors' elements, and real scans, in every encoding."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.bench.lists import program
from wirecost.bench.lists.content import LISTS, OF_SCANS, Content, of_scan, synthetic
from wirecost.bench.lists.program import Contender, List
from wirecost.bench.lists.race import ZSTD_LEVEL, Outcome, run_race
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.folder import write_results

SCENARIO = "lists"
COUNTS = (10, 1000, 100_000)
LARGEST_COUNT = 2_000_000

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


@dataclass
class _Measured:
    runs: list[dict[str, Any]] = field(default_factory=list)
    samples: list[pl.DataFrame] = field(default_factory=list)
    contenders: dict[str, Contender] = field(default_factory=dict)
    interrupted: bool = False


def run(settings: Settings, folder: Path, progress: Progress) -> bool:
    """Measure all cases and fill the result folder. Returns whether Ctrl-C cut it short.

    Raises UserError if nothing could be measured.
    """
    settings.check()
    program.check_installed()
    inputs = _inputs(settings, program.lists())
    measured = _Measured()
    _run_cases(inputs, settings.repetitions, measured, progress)
    if not measured.samples:
        told = [f"{r['contender']}: {r['failure']}" for r in measured.runs if r["failure"]]
        why = ": " + "; ".join(told) if told else " before the interrupt"
        raise UserError(f"nothing was measured{why}")
    meta = {
        "scenario": SCENARIO,
        "created": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": sys.argv[1:],
        "repetitions": settings.repetitions,
        "seed": settings.seed,
        "zstd_level": ZSTD_LEVEL,
        "interrupted": measured.interrupted,
        "environment": environment() | program.built(),
        "contenders": {
            f"{c.name} {c.mode}": {
                "wire": c.wire,
                "library": c.library,
                "guarantees": c.guarantees,
            }
            for c in measured.contenders.values()
        },
        "errors": {
            one.schema.name: {f.name: f.error for f in one.schema.fields if f.error > 0}
            for one in inputs
        },
        "runs": measured.runs,
    }
    write_results(folder, meta, pl.concat(measured.samples))
    return measured.interrupted


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
    inputs: list[_Input], repetitions: int, measured: _Measured, progress: Progress
) -> None:
    sizes = [len(program.contenders(one.schema.name)) * repetitions for one in inputs]
    done, total = 0, sum(sizes)
    for one in inputs:

        def report(samples: int, text: str, label: str = one.case) -> None:
            nonlocal done
            done += samples
            progress(done, total, f"{label}: {text}")

        outcome = run_race(one.schema, one.content, repetitions, report)
        _keep(outcome, one, measured)
        if outcome.interrupted:
            measured.interrupted = True
            return


def _keep(outcome: Outcome, one: _Input, measured: _Measured) -> None:
    lanes = {lane.contender.key: lane for lane in outcome.lanes}
    measured.contenders |= {key: lane.contender for key, lane in lanes.items()}
    measured.runs += [
        {
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
        for lane in outcome.lanes
    ]
    if outcome.interrupted or not outcome.samples:
        return  # a race that is not whole compares nobody
    samples = outcome.samples
    measured.samples.append(
        pl.DataFrame(
            {
                "case": [one.case] * len(samples),
                "variant": [one.variant] * len(samples),
                "build": ["release"] * len(samples),
                "contender": [lanes[s.key].contender.name for s in samples],
                "mode": [lanes[s.key].contender.mode for s in samples],
                "wire": [lanes[s.key].contender.wire for s in samples],
                "elements": [one.count] * len(samples),
                "stage": [s.stage for s in samples],
                "repetition": [s.repetition for s in samples],
                "ns": [s.ns for s in samples],
                "bytes": [lanes[s.key].bytes for s in samples],
            },
            schema_overrides={"repetition": pl.Int64, "elements": pl.Int64, "ns": pl.Float64},
        )
    )
