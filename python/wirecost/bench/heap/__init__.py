# SPDX-License-Identifier: Apache-2.0
"""``bench heap``: a callback's turnaround and threads' throughput under several allocators."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.bench.heap import programs
from wirecost.bench.heap.allocators import ALLOCATORS, MODES, Allocator
from wirecost.bench.heap.race import WARMUP, Case, Lane, Outcome, run_race
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.folder import write_results

SCENARIO = "heap"
STUDIES = ("callback", "throughput")
PATTERNS = ("larson", "threadtest", "xmalloc", "cache-scratch")
THREADS = (1, 2, 4, 8)
PAIRS = 1_000_000
"""Of malloc and free in a process that measures throughput."""

Progress = Callable[[int, int, str], None]
"""Called with processes done, processes in all, and what runs now."""


@dataclass(frozen=True)
class Settings:
    """``samples``: callbacks of each process; ``rounds``: processes of each contender and case."""

    allocators: tuple[str, ...] = tuple(ALLOCATORS)
    studies: tuple[str, ...] = STUDIES
    samples: int = 2000
    rounds: int = 5
    threads: tuple[int, ...] = THREADS
    pairs: int = PAIRS

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        for option, value, most in (
            ("--samples", self.samples, 1_000_000),
            ("--rounds", self.rounds, 1000),
            *(("--threads", count, 256) for count in self.threads),
        ):
            if not 1 <= value <= most:
                raise UserError(f"{option} {value}: must lie between 1 and {most}")
        if not 100_000 <= self.pairs <= 1_000_000_000:
            raise UserError(f"--pairs {self.pairs}: must lie between 100000 and 1000000000")

    def cases(self) -> list[Case]:
        stresses = [Case(p, threads, self.pairs) for p in PATTERNS for threads in self.threads]
        return [
            *([Case("", 1, self.samples)] if "callback" in self.studies else []),
            *(stresses if "throughput" in self.studies else []),
        ]


@dataclass
class _Measured:
    runs: list[dict[str, Any]] = field(default_factory=list)
    samples: list[pl.DataFrame] = field(default_factory=list)
    interrupted: bool = False


def run(settings: Settings, folder: Path, progress: Progress) -> bool:
    """Measure all cases and fill the result folder. Returns whether Ctrl-C cut it short.

    Raises UserError if nothing could be measured.
    """
    settings.check()
    programs.check_installed()
    chosen = [ALLOCATORS[name] for name in settings.allocators]
    not_run = {one.name: why for one in chosen if (why := programs.missing(one)) is not None}
    contenders = [(one, mode) for one in chosen if one.name not in not_run for mode in MODES]
    measured = _Measured()
    _run_cases(settings, contenders, measured, progress)
    if not measured.samples:
        told = [f"{name}: {why}" for name, why in not_run.items()]
        told += [f"{r['contender']}: {r['failure']}" for r in measured.runs if r["failure"]]
        why = ": " + "; ".join(told) if told else " before the interrupt"
        raise UserError(f"nothing was measured{why}")
    meta = {
        "scenario": SCENARIO,
        "created": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": sys.argv[1:],
        "samples": settings.samples,
        "rounds": settings.rounds,
        "warmup": WARMUP,
        "pairs": settings.pairs,
        "interrupted": measured.interrupted,
        "environment": environment() | {"libc": programs.built()},
        "contenders": {
            f"{one.name} {mode}": {"library": one.file, "settings": one.told(mode)}
            for one, mode in contenders
        },
        "not_run": not_run,
        "runs": measured.runs,
    }
    write_results(folder, meta, pl.concat(measured.samples))
    return measured.interrupted


def _run_cases(
    settings: Settings,
    contenders: list[tuple[Allocator, str]],
    measured: _Measured,
    progress: Progress,
) -> None:
    cases = settings.cases()
    done, total = 0, len(cases) * len(contenders) * settings.rounds
    for case in cases:

        def report(processes: int, text: str, label: str = case.name) -> None:
            nonlocal done
            progress(done, total, f"{label}: {text}")
            done += processes

        outcome = run_race(case, contenders, settings.rounds, report)
        _keep(outcome, case, measured)
        if outcome.interrupted:
            measured.interrupted = True
            return


def _keep(outcome: Outcome, case: Case, measured: _Measured) -> None:
    measured.runs += [
        {
            "case": case.name,
            "variant": case.variant,
            "build": "release",
            "contender": lane.allocator.name,
            "mode": lane.mode,
            "pattern": case.pattern,
            "threads": case.threads,
            "message_bytes": 0,
            "message_digest": lane.digest,
            "failure": lane.failure,
        }
        for lane in outcome.lanes
    ]
    whole = [lane for lane in outcome.lanes if lane.failure is None and lane.rounds]
    measured.samples += [_samples(case, lane) for lane in whole]


def _samples(case: Case, lane: Lane) -> pl.DataFrame:
    """A row a callback, or a row a process: then nanoseconds are those of a pair."""
    rows: list[tuple[float | None, ...]]
    if case.pattern:
        told = [one.rows[0] for one in lane.rounds]
        rows = [
            (n, ns / case.amount, None, None, None, cpu_ns / case.amount)
            for n, (ns, cpu_ns) in enumerate(told)
        ]
    else:
        rows = [(n, *row, None) for n, one in enumerate(lane.rounds) for row in one.rows]
    frame = pl.DataFrame(
        rows,
        schema={
            "round": pl.Int64,
            "ns": pl.Float64,
            "minor_faults": pl.Int64,
            "major_faults": pl.Int64,
            "context_switches": pl.Int64,
            "cpu_ns": pl.Float64,
        },
        orient="row",
    )
    names = {
        "case": case.name,
        "variant": case.variant,
        "build": "release",
        "contender": lane.allocator.name,
        "mode": lane.mode,
        "stage": "total",
    }
    return frame.with_row_index("repetition").select(
        *(pl.lit(value).alias(name) for name, value in names.items()),
        pl.col("repetition").cast(pl.Int64),
        pl.all().exclude("repetition"),
        pl.lit(0, pl.Int64).alias("bytes"),
    )
