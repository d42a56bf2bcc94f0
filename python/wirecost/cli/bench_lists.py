# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench lists``: measure, then print and keep the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirecost.bench import lists
from wirecost.bench.lists.content import LISTS
from wirecost.cli.choices import chosen, completing, numbers
from wirecost.cli.results import measure_and_report


def command(
    list_names: Annotated[
        str,
        typer.Option(
            "--list", help="Comma-separated; default all.", autocompletion=completing(LISTS)
        ),
    ] = ",".join(LISTS),
    counts: Annotated[
        str | None,
        typer.Option(
            "--count",
            metavar="N,N,…",
            help="Elements of the synthetic lists; default 10,1000,100000, with --scan none.",
        ),
    ] = None,
    scans: Annotated[
        list[Path] | None,
        typer.Option(
            "--scan", metavar="FILE.pcd", help="A real scan as lidar lists and points; may repeat."
        ),
    ] = None,
    repetitions: Annotated[int, typer.Option(metavar="N", help="Samples of each stage.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the synthetic lists.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-lists."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the summary rows; - is standard output."
        ),
    ] = None,
) -> None:
    """Lists of several sensors, and real scans, by Protobuf, FlatBuffers and columns."""
    given = () if scans else lists.COUNTS
    settings = lists.Settings(
        chosen("--list", list_names, LISTS),
        tuple(numbers("--count", counts)) if counts is not None else given,
        tuple(scans or ()),
        repetitions,
        seed,
    )
    settings.check()
    measure_and_report(
        lists.SCENARIO,
        out,
        json_file,
        lambda journal, advance: lists.run(settings, journal, advance),
    )
