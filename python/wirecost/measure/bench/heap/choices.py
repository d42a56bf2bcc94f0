# SPDX-License-Identifier: Apache-2.0
"""Settings of ``bench heap``. Imports little: the command line lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirecost.measure.bench.engine.allocators import ALLOCATORS
from wirecost.measure.bench.engine.option import Option, check_limits
from wirecost.measure.bench.engine.processes import PROCESSES

STUDIES = ("callback", "throughput")


@dataclass(frozen=True)
class HeapSettings:
    """Settings of the two studies."""

    allocators: Annotated[
        tuple[str, ...], Option("Allocators, comma-separated; default: all.", known=ALLOCATORS)
    ] = tuple(ALLOCATORS)
    studies: Annotated[
        tuple[str, ...], Option("callback, throughput or both.", "--study", known=STUDIES)
    ] = STUDIES
    samples: Annotated[
        int,
        Option("Callbacks of each allocator in a round.", metavar="N", least=1, most=1_000_000),
    ] = 1000
    rounds: Annotated[
        int,
        Option(
            "Rounds; in each, every allocator has a new process.", metavar="N", least=1, most=1000
        ),
    ] = PROCESSES
    threads: Annotated[
        tuple[int, ...],
        Option("Numbers of threads in the throughput study.", metavar="N,N,…", least=1, most=256),
    ] = (1, 2, 4, 8)
    pairs: Annotated[
        int,
        Option(
            "Pairs of malloc and free of a process in the throughput study.",
            metavar="N",
            least=100_000,
            most=1_000_000_000,
        ),
    ] = 1_000_000

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        check_limits(self)
