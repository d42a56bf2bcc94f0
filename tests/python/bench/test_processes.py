# SPDX-License-Identifier: Apache-2.0
"""Samples of several processes: shared out, in drawn orders, counted over all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.engine.processes import measured, plan

KEYS = ["a", "b", "c", "d"]


@pytest.mark.parametrize(("samples", "processes"), [(30, 10), (7, 3), (2, 10), (1, 1), (11, 11)])
def test_every_sample_is_taken_and_no_process_without_one(samples: int, processes: int) -> None:
    drawn = plan(samples, processes, 1)
    shares = [drawn.samples_of(process) for process in range(drawn.processes)]
    assert sum(shares) == samples
    assert min(shares) >= 1
    assert max(shares) - min(shares) <= 1


def test_the_order_follows_from_the_seed_and_the_process() -> None:
    orders = [tuple(plan(40, 40, 3).order(process, KEYS)) for process in range(40)]
    assert orders == [tuple(plan(40, 40, 3).order(process, KEYS)) for process in range(40)]
    assert orders != [tuple(plan(40, 40, 4).order(process, KEYS)) for process in range(40)]
    assert {order[0] for order in orders} == set(KEYS)
    assert all(sorted(order) == KEYS for order in orders)


def test_repetitions_are_counted_over_all_processes() -> None:
    starts: list[list[str]] = []

    def measure(keys: list[str], repetitions: int) -> Iterator[list[StageSample]]:
        starts.append(keys)
        for number in range(repetitions):
            yield [StageSample(key, number, "total", 1.0) for key in keys]

    all_samples = [
        sample for samples in measured(plan(7, 3, 1), KEYS, measure) for sample in samples
    ]
    assert len(starts) == 3
    for key in KEYS:
        numbers = [
            (sample.repetition, sample.process) for sample in all_samples if sample.key == key
        ]
        assert numbers == [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (6, 2)]


def test_a_contender_that_takes_fewer_leaves_no_gap() -> None:
    def measure(keys: list[str], repetitions: int) -> Iterator[list[StageSample]]:
        for key in keys:
            for number in range(1 if key == "b" else repetitions):
                yield [StageSample(key, number, "total", 1.0)]

    taken = [sample for samples in measured(plan(7, 3, 1), KEYS, measure) for sample in samples]
    for key, count in (("a", 7), ("b", 3)):
        assert sorted(s.repetition for s in taken if s.key == key) == list(range(count))
