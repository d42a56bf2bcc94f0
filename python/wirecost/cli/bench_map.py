# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench map``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from wirecost.bench.processes import PROCESSES
from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.choices import numbers

EXAMPLE = "wirecost bench map"


def command(
    size: Annotated[
        float, typer.Option(metavar="MB", help="Size of the map in megabytes.")
    ] = 100.0,
    subscribers: Annotated[
        str, typer.Option(metavar="N,N,…", help="Numbers of subscribing processes.")
    ] = "1,4,8",
    repetitions: Annotated[
        int,
        typer.Option(
            metavar="N", help="Publications of each contender and case, in all its processes."
        ),
    ] = 20,
    processes: Processes = PROCESSES,
    seed: Annotated[
        int, typer.Option(help="Seed of the map's content and the processes' order.")
    ] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """A large map for several processes: copied to each over a socket, or shared by all."""
    from wirecost.bench.map import scenario as bench_map
    from wirecost.cli.measuring import measure_and_report

    settings = bench_map.Settings(
        round(size * 1e6) if size < 1e9 else 0,
        tuple(numbers("--subscribers", subscribers)),
        repetitions,
        processes,
        seed,
    )
    settings.check()
    measure_and_report(bench_map.SCENARIO, out, json_file, partial(bench_map.run, settings))
