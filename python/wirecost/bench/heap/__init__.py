# SPDX-License-Identifier: Apache-2.0
"""``bench heap``: a callback's turnaround and threads' throughput under several allocators."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wirecost.bench.heap import programs
from wirecost.bench.heap.allocators import ALLOCATORS, MODES
from wirecost.bench.heap.programs import Told
from wirecost.bench.heap.race import WARMUP, Case, Lane, run_race
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "heap"
STUDIES = ("callback", "throughput")
PATTERNS = ("larson", "threadtest", "xmalloc", "cache-scratch")
THREADS = (1, 2, 4, 8)
PAIRS = 1_000_000
"""Of malloc and free in a process that measures throughput."""
CELLS = ("ns", "minor_faults", "major_faults", "context_switches", "cpu_ns")
TYPES = {
    "ns": "Float64",
    "minor_faults": "Int64",
    "major_faults": "Int64",
    "context_switches": "Int64",
    "cpu_ns": "Float64",
}

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


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    programs.check_installed()
    chosen = [ALLOCATORS[name] for name in settings.allocators]
    not_run = {one.name: why for one in chosen if (why := programs.missing(one)) is not None}
    contenders = [(one, mode) for one in chosen if one.name not in not_run for mode in MODES]
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        samples=settings.samples,
        rounds=settings.rounds,
        warmup=WARMUP,
        pairs=settings.pairs,
        environment=environment() | {"libc": programs.built()},
        contenders={
            f"{one.name} {mode}": {"library": one.file, "settings": one.told(mode)}
            for one, mode in contenders
        },
        not_run=not_run,
        types=TYPES,
    )
    cases = settings.cases()
    done, total = 0, len(cases) * len(contenders) * settings.rounds
    for case in cases:

        def report(processes: int, text: str, label: str = case.name) -> None:
            nonlocal done
            progress(done, total, f"{label}: {text}")
            done += processes

        lanes = [_Recorded(Lane(*who), case, journal) for who in contenders]

        def keep(lanes: list[_Recorded] = lanes) -> None:
            for one in lanes:
                one.keep()
            journal.flush()

        try:
            run_race(case, [one.lane for one in lanes], settings.rounds, report, keep)
        finally:
            for one in lanes:
                one.end()


class _Recorded:
    """A lane's part of the journal."""

    def __init__(self, lane: Lane, case: Case, journal: Journal) -> None:
        self.lane = lane
        self._case = case
        self._who = {
            "case": case.name,
            "variant": case.variant,
            "build": "release",
            "contender": lane.allocator.name,
            "mode": lane.mode,
        }
        self._run = journal.run(self._about(), {**self._who, "stage": "total", "bytes": 0})
        self._kept = 0
        self._rows = 0

    def keep(self) -> None:
        """The rounds that ended."""
        if self._kept == 0 and self.lane.rounds:
            self._run.about(self._about())
        for number in range(self._kept, len(self.lane.rounds)):
            for row in _rows(self._case, self.lane.rounds[number]):
                cells = dict(zip(CELLS, row, strict=True))
                self._run.row(repetition=self._rows, round=number, **cells)
                self._rows += 1
        self._kept = len(self.lane.rounds)

    def end(self) -> None:
        self._run.about(self._about())

    def _about(self) -> dict[str, Any]:
        return {
            **self._who,
            "pattern": self._case.pattern,
            "threads": self._case.threads,
            "message_bytes": 0,
            "message_digest": self.lane.digest,
            "failure": self.lane.failure,
        }


def _rows(case: Case, told: Told) -> list[tuple[float | None, ...]]:
    """``CELLS`` of each callback, or of a process: then nanoseconds are those of a pair."""
    if not case.pattern:
        return [(*row, None) for row in told.rows]
    ((ns, cpu_ns),) = told.rows
    return [(ns / case.amount, None, None, None, cpu_ns / case.amount)]
