# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench cloud``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.options import numbers, option
from wirecost.measure.bench.cloud.choices import FORMATS, STUDIES
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench cloud --points 30000"


def command(
    studies: Annotated[
        str,
        option(
            "ring (outlier filter), area (detection area); default: both.", "--study", known=STUDIES
        ),
    ] = ",".join(STUDIES),
    scans: Annotated[
        list[str] | None,
        option(
            "A real scan, or vlp16, vlp32 or vls128 for a synthetic one; can be repeated.",
            "--scan",
            metavar="FILE.pcd|SENSOR",
        ),
    ] = None,
    points: Annotated[str, option("Points of the area study.", metavar="N,N,…")] = "100000",
    vertices: Annotated[
        str, option("Vertices of each of the 8 areas.", metavar="N,N,…")
    ] = "8,64,1000",
    inside: Annotated[
        str, option("Percent of points inside an area.", metavar="%,%,…")
    ] = "1,10,50",
    samples: Annotated[
        int, option("Callbacks of each version, in all processes.", metavar="N")
    ] = 100,
    processes: Processes = PROCESSES,
    seconds: Annotated[
        float, option("Take no more samples of a case after this time.", metavar="S")
    ] = 10.0,
    format_: Annotated[
        str, option("Points of the rings: aedt (32 B) or radrt (40 B).", "--format")
    ] = "aedt",
    published: Annotated[
        bool, option("Use the ring filter as published, with its faults.")
    ] = False,
    seed: Annotated[
        int, option("Seed of synthetic scans, points, areas, and the processes' order.")
    ] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Two point cloud callbacks: usual, recommended, optimized; with and without the heap."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.cloud import scenario as cloud

    (layout,) = chosen("--format", format_, FORMATS)[:1]
    settings = cloud.CloudSettings(
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
