# SPDX-License-Identifier: Apache-2.0
"""One case: every contender in a process of its own each round, the order rotated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from wirecost.bench.heap import programs
from wirecost.bench.heap.allocators import Allocator
from wirecost.bench.heap.programs import ProgramFailedError, Told

WARMUP = 100
"""Callbacks before faults and times count, in every process."""

VERIFIED = 3
"""Callbacks whose results are compared before anything is timed."""

Report = Callable[[int, str], None]
"""Called with the processes that ended since the last call and what ran."""


@dataclass(frozen=True)
class Case:
    """A callback (``pattern`` empty, ``amount`` callbacks a process) or a stress of threads
    (``amount`` pairs of malloc and free)."""

    pattern: str
    threads: int
    amount: int

    @property
    def name(self) -> str:
        if not self.pattern:
            return "callback, lidar"
        return f"{self.pattern}, {self.threads} thread{'s' if self.threads > 1 else ''}"

    @property
    def variant(self) -> str:
        return "throughput" if self.pattern else "callback"


@dataclass
class Lane:
    allocator: Allocator
    mode: str
    digest: str = ""
    failure: str | None = None
    rounds: list[Told] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.allocator.name} {self.mode}"


Keep = Callable[[], None]
"""Called between rounds, once each contender has had its turn."""


def run_race(case: Case, lanes: list[Lane], rounds: int, report: Report, keep: Keep) -> None:
    """Fills the lanes."""
    _verify(case, lanes)
    for number in range(rounds):
        told = {}
        for lane in _turns(lanes, number):
            if lane.failure is None:
                report(1, lane.key)
                told[lane.key] = _process(case, lane, case.amount)
        _compare(lanes, told)
        for lane in lanes:
            found = told.get(lane.key)
            if found is not None and lane.failure is None:
                lane.rounds.append(found)
                lane.digest = found.result
        keep()


def _turns(lanes: list[Lane], number: int) -> Iterator[Lane]:
    """All lanes, in another order each round."""
    for place in range(len(lanes)):
        yield lanes[(place + number) % len(lanes)]


def _verify(case: Case, lanes: list[Lane]) -> None:
    """What a few callbacks, or the whole stress, come to, before anything counts."""
    amount = case.amount if case.pattern else VERIFIED
    _compare(lanes, {lane.key: _process(case, lane, amount) for lane in lanes})


def _process(case: Case, lane: Lane, amount: int) -> Told | None:
    """What a process told; None, and the lane's failure, where it could not."""
    who = lane.allocator, lane.mode
    try:
        if case.pattern:
            return programs.throughput(*who, case.pattern, case.threads, amount)
        return programs.callbacks(*who, amount, WARMUP)
    except ProgramFailedError as error:
        lane.failure = str(error)
        return None


def _compare(lanes: list[Lane], told: dict[str, Told | None]) -> None:
    """Contenders whose result is not that of most others fail."""
    results = [found.result for found in told.values() if found is not None]
    if not results:
        return
    usual = max(results, key=results.count)
    for lane in lanes:
        found = told.get(lane.key)
        if found is not None and found.result != usual:
            lane.failure = f"its result {found.result} is not the others' {usual}"
