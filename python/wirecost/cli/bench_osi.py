# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench osi``: run the co-simulation, then print and keep its report."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

from wirecost.cli.bench import Processes
from wirecost.cli.ending import JsonFile
from wirecost.cli.options import numbers, option
from wirecost.cli.scenario_command import Out
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.osi.choices import BUILDS, PAGES, READS, VARIANTS
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench osi --reflections 100000 --contenders protobuf-reuse,columns"


class Variant(StrEnum):
    """Work that the contenders do."""

    same_work = "same-work"
    published = "published"
    both = "both"


class Content(StrEnum):
    """Content of the reflections."""

    varied = "varied"
    distinct = "distinct"
    report = "report"


def command(
    contenders: Annotated[
        str | None,
        option(
            "Names, comma-separated; all: also those that are not in the default set, but not "
            "those over libraries that are built from source (named …-current).",
            known=lambda: Registry().contenders,
        ),
    ] = None,
    reflections: Annotated[
        str, option("Reflections per message; several: N,N,…", metavar="N")
    ] = "829440",
    objects: Annotated[
        str, option("Moving objects per message; several: N,N,…", metavar="N")
    ] = "10",
    steps: Annotated[
        int, option("Measured steps of each contender, in all processes.", metavar="N")
    ] = 30,
    processes: Processes = PROCESSES,
    variant: Annotated[
        Variant | None,
        option(
            "same-work: equal messages, each codec at its best; published: as the "
            "report's code did. Default same-work; both with --table1."
        ),
    ] = None,
    content: Annotated[
        Content | None,
        option(
            "Reflections: varied, 256 different ones again and again; distinct, no two "
            "alike; or the report's constant ones. Default varied for same-work, report for "
            "published."
        ),
    ] = None,
    read: Annotated[
        str,
        option(
            "What the sensor reads: sampled, every 18th reflection as in the report; all, "
            "every field of every reflection; or both, comma-separated.",
            metavar="WHAT",
            known=READS,
        ),
    ] = READS[0],
    pages: Annotated[
        str,
        option(
            "Pages of memory: huge where contenders ask the kernel for them, small for all of "
            "them, or both, comma-separated.",
            metavar="SIZE",
            known=PAGES,
        ),
    ] = PAGES[0],
    builds: Annotated[str, option("Builds, comma-separated: release, debug.")] = "release",
    allocators: Annotated[
        str | None,
        option(
            f"Comma-separated, for all contenders: {', '.join(NAMED)}. Default: the one with "
            "which wirecost was started, and for the best Protobuf mode the best one too.",
            known=NAMED,
        ),
    ] = None,
    fmi: Annotated[int, option("FMI version of the FMUs, 2 or 3.")] = 2,
    seed: Annotated[int, option("Seed of varied content.")] = 1,
    trace: Annotated[
        Path | None,
        option(
            "Play this trace of sensor views instead of the highway, on Protobuf's wire and "
            "in columns.",
            metavar="FILE",
        ),
    ] = None,
    player: Annotated[bool, option("Use a trace player as the source.", "--player")] = False,
    table1: Annotated[
        bool, option("Measure the rows of the report's Table 1 and show both.", "--table1")
    ] = False,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Protobuf, FlatBuffers and columns between real FMUs."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.osi import cases
    from wirecost.measure.bench.osi import scenario as osi

    registry = Registry()
    both = list(VARIANTS)
    if variant is None:
        variants = both if table1 else ["same-work"]
    else:
        variants = both if variant is Variant.both else [variant.value]
    if table1 and allocators:
        raise UserError("--allocators: not with --table1")
    reads = chosen("--read", read, READS)
    if "all" in reads and (table1 or "published" in variants):
        raise UserError("--read all: the report's sensor reads a sample; use --variant same-work")
    sizes = chosen("--pages", pages, PAGES)
    if table1 and "small" in sizes:
        raise UserError("--pages small: not with --table1")
    if table1 and trace:
        raise UserError("--trace: cannot be used with --table1, which has its own trace")
    if table1:
        works = cases.table1_cases(variants, content)
    else:
        names = contenders.split(",") if contenders else registry.default
        if names == ["all"]:
            names = [name for name in registry.contenders if name not in registry.rivals]
        registry.select(names)
        unknown = [build for build in builds.split(",") if build not in BUILDS]
        if unknown:
            raise UserError(f"--builds {builds}: there are {', '.join(BUILDS)}")
        works = cases.cases_for(
            names,
            numbers("--reflections", reflections),
            numbers("--objects", objects),
            variants,
            list(dict.fromkeys(builds.split(","))),
            content,
            player or trace is not None,
            trace,
            chosen("--allocators", allocators, NAMED) if allocators else (),
            reads,
            sizes,
        )
    settings = osi.OsiSettings(works, steps, fmi, seed, processes)
    settings.check()
    run = partial(osi.run, settings, registry)
    measure_and_report(osi.SCENARIO, out, json_file, run)
