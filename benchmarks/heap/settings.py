# SPDX-License-Identifier: Apache-2.0
"""Allocators: a lidar callback, many threads."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine.allocators import ALLOCATORS
from wirecost.measure.bench.engine.option import ScenarioSettings, setting, within
from wirecost.measure.bench.engine.processes import PROCESSES

EXAMPLE = "wirecost bench --from benchmarks heap --study callback"
STUDIES = ("callback", "throughput")


@dataclass(frozen=True)
class Settings(ScenarioSettings):
    """Settings of the two studies."""

    allocators: tuple[str, ...] = setting(
        tuple(ALLOCATORS), "Allocators, comma-separated; default: all.", known=ALLOCATORS
    )
    studies: tuple[str, ...] = setting(
        STUDIES, "callback, throughput or both.", "--study", known=STUDIES
    )
    samples: int = setting(
        1000, "Callbacks of each allocator in a round.", check=within(1, 1_000_000)
    )
    rounds: int = setting(
        PROCESSES, "Rounds; in each, every allocator has a new process.", check=within(1, 1000)
    )
    threads: tuple[int, ...] = setting(
        (1, 2, 4, 8), "Numbers of threads in the throughput study.", check=within(1, 256)
    )
    pairs: int = setting(
        1_000_000,
        "Pairs of malloc and free of a process in the throughput study.",
        check=within(100_000, 1_000_000_000),
    )
