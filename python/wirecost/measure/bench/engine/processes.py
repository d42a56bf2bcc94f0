# SPDX-License-Identifier: Apache-2.0
"""Samples in several processes, one after the other.

What a process was given at its start stays with it: where its memory lies, which pages are huge. So
every contender runs in several processes; a round is one of each, in an order drawn from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from wirecost.measure.bench.engine.entry import StageSample

T = TypeVar("T")
PROCESSES = 10
"""Fewer independent repetitions have no interval that deserves the name."""


@dataclass(frozen=True)
class ProcessPlan:
    """``samples``: of each contender, over all its ``processes``."""

    samples: int
    processes: int
    seed: int

    def samples_of(self, process: int) -> int:
        return self.samples // self.processes + (process < self.samples % self.processes)

    def order(self, process: int, contenders: Sequence[T]) -> list[T]:
        """Draw the order in which the contenders' processes take their turns."""
        return Random(f"{self.seed} {process}").sample(contenders, len(contenders))


def plan(samples: int, processes: int, seed: int) -> ProcessPlan:
    """No process without a sample."""
    return ProcessPlan(samples, min(processes, samples), seed)


Measure = Callable[[list[str], int], Iterator[list[StageSample]]]
"""Starts a program that measures contenders in this order, each so often; a list per round."""


def measured(plan: ProcessPlan, keys: list[str], measure: Measure) -> Iterator[list[StageSample]]:
    """Yield the rounds of all processes, repetitions counted over all of them."""
    before = 0
    for process in range(plan.processes):
        count = plan.samples_of(process)
        for found in measure(plan.order(process, keys), count):
            yield [
                replace(one, repetition=before + one.repetition, process=process) for one in found
            ]
        before += count
