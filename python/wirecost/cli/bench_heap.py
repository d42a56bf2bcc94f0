# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench heap``: measure, then print and keep the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirecost.bench import heap
from wirecost.bench.heap.allocators import ALLOCATORS
from wirecost.cli.choices import chosen, completing, numbers
from wirecost.cli.results import measure_and_report


def command(
    allocators: Annotated[
        str,
        typer.Option(help="Comma-separated; default all.", autocompletion=completing(ALLOCATORS)),
    ] = ",".join(ALLOCATORS),
    study: Annotated[
        str,
        typer.Option(help="callback, throughput or both.", autocompletion=completing(heap.STUDIES)),
    ] = ",".join(heap.STUDIES),
    samples: Annotated[
        int, typer.Option(metavar="N", help="Callbacks of each allocator in a round.")
    ] = 2000,
    rounds: Annotated[
        int, typer.Option(metavar="N", help="Processes of each allocator, in turns.")
    ] = 5,
    threads: Annotated[
        str, typer.Option(metavar="N,N,…", help="Threads of the throughput stresses.")
    ] = ",".join(map(str, heap.THREADS)),
    pairs: Annotated[
        int, typer.Option(metavar="N", help="malloc and free pairs of a throughput process.")
    ] = heap.PAIRS,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-heap."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the summary rows; - is standard output."
        ),
    ] = None,
) -> None:
    """A lidar callback's turnaround and threads' throughput by allocator."""
    settings = heap.Settings(
        chosen("--allocators", allocators, ALLOCATORS),
        chosen("--study", study, heap.STUDIES),
        samples,
        rounds,
        tuple(numbers("--threads", threads)),
        pairs,
    )
    settings.check()
    measure_and_report(
        heap.SCENARIO,
        out,
        json_file,
        lambda journal, advance: heap.run(settings, journal, advance),
    )
