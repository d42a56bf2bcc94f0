# SPDX-License-Identifier: Apache-2.0
"""Settings of ``bench heap``. Imports little: the command line lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirecost.measure.bench.engine.allocators import ALLOCATORS
from wirecost.measure.bench.engine.option import Option, ScenarioSettings, within
from wirecost.measure.bench.engine.processes import PROCESSES

STUDIES = ("callback", "throughput")


@dataclass(frozen=True)
class HeapSettings(ScenarioSettings):
    """Settings of the two studies."""

    allocators: Annotated[
        tuple[str, ...], Option("Allocators, comma-separated; default: all.", known=ALLOCATORS)
    ] = tuple(ALLOCATORS)
    studies: Annotated[
        tuple[str, ...], Option("callback, throughput or both.", "--study", known=STUDIES)
    ] = STUDIES
    samples: Annotated[
        int,
        Option("Callbacks of each allocator in a round.", metavar="N", check=within(1, 1_000_000)),
    ] = 1000
    rounds: Annotated[
        int,
        Option(
            "Rounds; in each, every allocator has a new process.",
            metavar="N",
            check=within(1, 1000),
        ),
    ] = PROCESSES
    threads: Annotated[
        tuple[int, ...],
        Option(
            "Numbers of threads in the throughput study.", metavar="N,N,…", check=within(1, 256)
        ),
    ] = (1, 2, 4, 8)
    pairs: Annotated[
        int,
        Option(
            "Pairs of malloc and free of a process in the throughput study.",
            metavar="N",
            check=within(100_000, 1_000_000_000),
        ),
    ] = 1_000_000
