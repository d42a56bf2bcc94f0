# SPDX-License-Identifier: Apache-2.0
"""One case: every contender in a process of its own each round."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine.allocators import AllocatorContender
from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import plan
from wirecost.system.children import ProgramFailedError

from . import program
from .program import HeapOutput

WARMUP = 100
"""Callbacks before faults and times count, in every process."""

SEED = 1
VERIFIED = 3
"""Callbacks whose results are compared before anything is timed."""

CELLS = ("ns", "minor_faults", "major_faults", "context_switches", "cpu_ns")


@dataclass(frozen=True)
class HeapWork:
    """Callback, or stress of threads.

    ``amount``: callbacks per process where ``pattern`` is empty, else pairs of malloc and free.
    """

    pattern: str
    threads: int
    amount: int

    @property
    def name(self) -> str:
        if not self.pattern:
            return "callback, lidar"
        return f"{self.pattern}, {self.threads} thread{'s' if self.threads > 1 else ''}"

    def entry(self, contender: AllocatorContender) -> Entry[AllocatorContender]:
        who = {
            "case": self.name,
            "variant": "throughput" if self.pattern else "callback",
            "build": "release",
            "contender": contender.allocator.name,
            "mode": contender.mode,
        }
        facts = {"pattern": self.pattern, "threads": self.threads}
        return Entry(contender.key, contender, who, facts)

    def process(self, contender: AllocatorContender, amount: int) -> HeapOutput:
        """Run one process. Raises ProgramFailedError."""
        if self.pattern:
            return program.throughput(contender, self.pattern, self.threads, amount)
        return program.callbacks(contender, amount, WARMUP)

    def samples(self, output: HeapOutput) -> list[tuple[float | None, ...]]:
        """Return ``CELLS`` of each callback, or of a process, which has nanoseconds of a pair."""
        if not self.pattern:
            return [(*row, None) for row in output.rows]
        ((ns, cpu_ns),) = output.rows
        return [(ns / self.amount, None, None, None, cpu_ns / self.amount)]


def run_race(work: HeapWork, case: Case[AllocatorContender], rounds: int) -> None:
    """Fill the entries."""
    # A few callbacks, or the whole stress: nothing is timed before all have the same result.
    _round(work, case, case.running, work.amount if work.pattern else VERIFIED)
    turns = plan(rounds, rounds, SEED)
    for number in range(rounds):
        entries = turns.order(number, case.running)
        for entry, output in _round(work, case, entries, work.amount, processes=1):
            for row in work.samples(output):
                cells = dict(zip(CELLS, row, strict=True))
                entry.row(stage="total", repetition=entry.samples, process=number, **cells)
            entry.digest = output.result
        case.keep()


def _round(
    work: HeapWork,
    case: Case[AllocatorContender],
    entries: list[Entry[AllocatorContender]],
    amount: int,
    processes: int = 0,
) -> list[tuple[Entry[AllocatorContender], HeapOutput]]:
    """Run a process of every entry. An entry whose result is not that of most others fails."""
    outputs = []
    for entry in entries:
        case.report(entry.key, processes)
        with entry.failing(ProgramFailedError):
            outputs.append((entry, work.process(entry.contender, amount)))
    results = [output.result for _, output in outputs]
    usual = max(results, key=results.count, default="")
    for entry, output in outputs:
        if output.result != usual:
            entry.failure = f"its result {output.result} is not the others' {usual}"
    return [(entry, output) for entry, output in outputs if entry.failure is None]
