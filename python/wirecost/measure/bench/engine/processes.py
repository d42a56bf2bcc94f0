# SPDX-License-Identifier: Apache-2.0
"""Samples in several processes, one after the other.

A process keeps what it got at its start: where its memory lies, which pages are huge. Therefore
every contender runs in several processes; a round is one of each, in an order drawn from the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from wirecost.measure.bench.engine.entry import StageSample

T = TypeVar("T")
PROCESSES = 10
"""Default number of processes; fewer repetitions have no useful interval."""


@dataclass(frozen=True)
class ProcessPlan:
    """Samples of each contender, over all its ``processes``, and the seed of their order."""

    samples: int
    processes: int
    seed: int

    def samples_of(self, process: int) -> int:
        """Return how many samples a process takes."""
        return self.samples // self.processes + (process < self.samples % self.processes)

    def order(self, process: int, contenders: Sequence[T]) -> list[T]:
        """Draw the order in which the contenders' processes take their turns."""
        return Random(f"{self.seed} {process}").sample(contenders, len(contenders))


def plan(samples: int, processes: int, seed: int) -> ProcessPlan:
    """Return a plan that has no process without a sample."""
    return ProcessPlan(samples, min(processes, samples), seed)


Measure = Callable[[list[str], int], Iterator[list[StageSample]]]
"""Function that measures contenders in an order, each so often, and yields a list per round."""


def measured(plan: ProcessPlan, keys: list[str], measure: Measure) -> Iterator[list[StageSample]]:
    """Yield the rounds of all processes, each contender's repetitions counted over all of them."""
    before: Counter[str] = Counter()
    for process in range(plan.processes):
        places: Counter[str] = Counter()
        for samples in measure(plan.order(process, keys), plan.samples_of(process)):
            for sample in samples:
                places[sample.key] = max(places[sample.key], sample.repetition + 1)
            yield [
                replace(sample, repetition=before[sample.key] + sample.repetition, process=process)
                for sample in samples
            ]
        before += places
