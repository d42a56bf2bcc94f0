# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench cloud``: measure, then print and keep the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirecost.bench import cloud
from wirecost.cli.choices import chosen, completing, numbers
from wirecost.cli.results import measure_and_report
from wirecost.errors import UserError


def command(
    studies: Annotated[
        str,
        typer.Option(
            "--study",
            help="ring (outlier filter), area (detection area); default both.",
            autocompletion=completing(cloud.STUDIES),
        ),
    ] = ",".join(cloud.STUDIES),
    scans: Annotated[
        list[str] | None,
        typer.Option(
            "--scan",
            metavar="FILE.pcd|SENSOR",
            help="A real scan, or a made-up one as vlp16, vlp32 or vls128 has it; may repeat.",
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
    samples: Annotated[int, typer.Option(metavar="N", help="Callbacks of each version.")] = 100,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="After that, a case takes no more samples.")
    ] = 10.0,
    format_: Annotated[
        str, typer.Option("--format", help="Points of the rings: aedt (32 B) or radrt (40 B).")
    ] = "aedt",
    published: Annotated[
        bool, typer.Option(help="The ring filter as published, faults included.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of what is made up.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-cloud."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the summary rows; - is standard output."
        ),
    ] = None,
) -> None:
    """Two point cloud callbacks as usual, as recommended, and ours; plain and under the heap."""
    (layout,) = chosen("--format", format_, cloud.FORMATS)[:1]
    settings = cloud.Settings(
        studies=chosen("--study", studies, cloud.STUDIES),
        scans=tuple(scans or ()),
        points=tuple(numbers("--points", points)),
        vertices=tuple(numbers("--vertices", vertices)),
        inside=tuple(share / 100 for share in _percents(inside)),
        samples=samples,
        seconds=seconds,
        format=layout,
        published=published,
        seed=seed,
    )
    settings.check()
    measure_and_report(
        cloud.SCENARIO,
        out,
        json_file,
        lambda journal, advance: cloud.run(settings, journal, advance),
    )


def _percents(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"--inside {text}: give percents, separated by commas") from None
