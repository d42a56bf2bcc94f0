# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench repeated``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.options import numbers, option
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.message.choices import LIST_COUNTS, LISTS
from wirecost.system.chosen import chosen

EXAMPLE = "wirecost bench repeated --list radar"


def command(
    list_names: Annotated[
        str, option("Lists, comma-separated; default: all.", "--list", known=LISTS)
    ] = ",".join(LISTS),
    counts: Annotated[
        str | None,
        option(
            "Elements of the synthetic lists; default: 10,1000,100000, or none with --scan.",
            "--count",
            metavar="N,N,…",
        ),
    ] = None,
    scans: Annotated[
        list[Path] | None,
        option(
            "A real scan, as lidar lists and points; can be repeated.", "--scan", metavar="FILE.pcd"
        ),
    ] = None,
    repetitions: Annotated[
        int, option("Samples of each stage, in all processes.", metavar="N")
    ] = 30,
    processes: Processes = PROCESSES,
    seed: Annotated[int, option("Seed of the synthetic lists.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Repeated messages of several sensors, and scans, by Protobuf, FlatBuffers and columns."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.message.presets import repeated

    given = () if scans else LIST_COUNTS
    settings = repeated.RepeatedSettings(
        chosen("--list", list_names, LISTS),
        tuple(numbers("--count", counts)) if counts is not None else given,
        tuple(scans or ()),
        repetitions,
        seed,
        processes,
    )
    settings.check()
    measure_and_report("repeated", out, json_file, partial(repeated.run, settings))
