# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench map``: measure, then print and keep the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirecost.bench import map as bench_map
from wirecost.cli.choices import numbers
from wirecost.cli.results import measure_and_report


def command(
    size: Annotated[float, typer.Option(metavar="MB", help="Megabytes of the map.")] = 100.0,
    subscribers: Annotated[
        str, typer.Option(metavar="N,N,…", help="Subscribing processes.")
    ] = "1,4,8",
    repetitions: Annotated[
        int, typer.Option(metavar="N", help="Publications of each way and case.")
    ] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the map's bytes.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-map."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the summary rows; - is standard output."
        ),
    ] = None,
) -> None:
    """A large map for several processes: copied to each over a socket, or shared by all."""
    settings = bench_map.Settings(
        round(size * 1e6) if size < 1e9 else 0,
        tuple(numbers("--subscribers", subscribers)),
        repetitions,
        seed,
    )
    settings.check()
    measure_and_report(
        bench_map.SCENARIO,
        out,
        json_file,
        lambda journal, advance: bench_map.run(settings, journal, advance),
    )
