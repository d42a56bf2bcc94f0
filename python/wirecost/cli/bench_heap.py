# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench heap``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from wirecost.cli.bench import JsonFile, Out
from wirecost.cli.options import numbers, option
from wirecost.measure.bench.engine.allocators import ALLOCATORS
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.heap.choices import PAIRS, STUDIES, THREADS
from wirecost.system.chosen import chosen

EXAMPLE = "wirecost bench heap --study callback"


def command(
    allocators: Annotated[
        str, option("Allocators, comma-separated; default: all.", known=ALLOCATORS)
    ] = ",".join(ALLOCATORS),
    study: Annotated[str, option("callback, throughput or both.", known=STUDIES)] = ",".join(
        STUDIES
    ),
    samples: Annotated[int, option("Callbacks of each allocator in a round.", metavar="N")] = 1000,
    rounds: Annotated[
        int, option("Rounds; in each, every allocator has a new process.", metavar="N")
    ] = PROCESSES,
    threads: Annotated[
        str, option("Numbers of threads in the throughput study.", metavar="N,N,…")
    ] = ",".join(map(str, THREADS)),
    pairs: Annotated[
        int, option("Pairs of malloc and free of a process in the throughput study.", metavar="N")
    ] = PAIRS,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Allocators compared: turnaround of a lidar callback, throughput of threads."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.heap import scenario as heap

    settings = heap.HeapSettings(
        chosen("--allocators", allocators, ALLOCATORS),
        chosen("--study", study, STUDIES),
        samples,
        rounds,
        tuple(numbers("--threads", threads)),
        pairs,
    )
    settings.check()
    measure_and_report(heap.SCENARIO, out, json_file, partial(heap.run, settings))
