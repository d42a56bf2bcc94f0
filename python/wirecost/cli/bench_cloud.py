# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench cloud``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from wirecost.bench.cloud.choices import FORMATS, STUDIES
from wirecost.bench.processes import PROCESSES
from wirecost.chosen import chosen
from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.choices import completing, numbers
from wirecost.errors import UserError

EXAMPLE = "wirecost bench cloud --points 30000"


def command(
    studies: Annotated[
        str,
        typer.Option(
            "--study",
            help="ring (outlier filter), area (detection area); default: both.",
            autocompletion=completing(STUDIES),
        ),
    ] = ",".join(STUDIES),
    scans: Annotated[
        list[str] | None,
        typer.Option(
            "--scan",
            metavar="FILE.pcd|SENSOR",
            help="A real scan, or vlp16, vlp32 or vls128 for a synthetic one; can be repeated.",
        ),
    ] = None,
    points: Annotated[
        str, typer.Option(metavar="N,N,…", help="Points of the area study.")
    ] = "100000",
    vertices: Annotated[
        str, typer.Option(metavar="N,N,…", help="Vertices of each of the 8 areas.")
    ] = "8,64,1000",
    inside: Annotated[
        str, typer.Option(metavar="%,%,…", help="Percent of points inside an area.")
    ] = "1,10,50",
    samples: Annotated[
        int, typer.Option(metavar="N", help="Callbacks of each version, in all processes.")
    ] = 100,
    processes: Processes = PROCESSES,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="Take no more samples of a case after this time.")
    ] = 10.0,
    format_: Annotated[
        str, typer.Option("--format", help="Points of the rings: aedt (32 B) or radrt (40 B).")
    ] = "aedt",
    published: Annotated[
        bool, typer.Option(help="Use the ring filter as published, with its faults.")
    ] = False,
    seed: Annotated[
        int, typer.Option(help="Seed of synthetic scans, points, areas, and the processes' order.")
    ] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Two point cloud callbacks: usual, recommended, optimized; with and without the heap."""
    from wirecost.bench.cloud import scenario as cloud
    from wirecost.cli.measuring import measure_and_report

    (layout,) = chosen("--format", format_, FORMATS)[:1]
    settings = cloud.Settings(
        studies=chosen("--study", studies, STUDIES),
        scans=tuple(scans or ()),
        points=tuple(numbers("--points", points)),
        vertices=tuple(numbers("--vertices", vertices)),
        inside=tuple(share / 100 for share in _percents(inside)),
        samples=samples,
        processes=processes,
        seconds=seconds,
        format=layout,
        published=published,
        seed=seed,
    )
    settings.check()
    measure_and_report(cloud.SCENARIO, out, json_file, partial(cloud.run, settings))


def _percents(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"--inside {text}: give percentages, separated by commas") from None
