# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench classes``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.options import numbers, option
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.message.choices import GROUND_TRUTHS, OBJECTS
from wirecost.system.chosen import chosen

EXAMPLE = "wirecost bench classes --objects 100"


def command(
    objects: Annotated[str, option("Moving objects of a GroundTruth.", metavar="N,N,…")] = ",".join(
        map(str, OBJECTS)
    ),
    content: Annotated[
        str,
        option(
            "full: all vectors of an object's base, lanes, a model's name, attributes; "
            "sparse: four of the seven vectors.",
            known=GROUND_TRUTHS,
        ),
    ] = ",".join(GROUND_TRUTHS),
    repetitions: Annotated[
        int, option("Samples of each operation, over all processes.", metavar="N")
    ] = 30,
    processes: Processes = PROCESSES,
    allocators: Annotated[
        str | None,
        option(
            f"Comma-separated: {', '.join(NAMED)}. Default: glibc's at its defaults.", known=NAMED
        ),
    ] = None,
    seed: Annotated[int, option("Seed of the processes' order.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """OSI's GroundTruth in protoc's C++ classes, and in ours with the same interface."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.message.presets import classes

    settings = classes.ClassesSettings(
        tuple(numbers("--objects", objects)),
        chosen("--content", content, GROUND_TRUTHS),
        repetitions,
        processes,
        seed,
        chosen("--allocators", allocators, NAMED) if allocators else (),
    )
    settings.check()
    measure_and_report(classes.SCENARIO, out, json_file, partial(classes.run, settings))
