# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench notification``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from wirecost.bench.allocators import NAMED
from wirecost.bench.notification.choices import CONTENTS, LANGUAGES, MODES, WIRES
from wirecost.bench.processes import PROCESSES
from wirecost.chosen import chosen
from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.choices import completing, numbers

EXAMPLE = "wirecost bench notification --lang cpp,python"


def command(
    lang: Annotated[
        str,
        typer.Option(help="Languages, comma-separated.", autocompletion=completing(LANGUAGES)),
    ] = "cpp,python,java",
    sizes: Annotated[
        str, typer.Option(metavar="N,N,…", help="Size factors: lengths of the byte strings.")
    ] = "4,8,16,32,64,128",
    modes: Annotated[
        str,
        typer.Option(
            help="Modes, comma-separated. new: new objects, memory from malloc; recycled: new "
            "objects, small blocks from a free list of the codec's own.",
            autocompletion=completing(MODES),
        ),
    ] = ",".join(MODES),
    wire: Annotated[
        str,
        typer.Option(help="Wires, comma-separated.", autocompletion=completing(WIRES)),
    ] = "protobuf,ros1,cdr",
    content: Annotated[
        str,
        typer.Option(
            help="ticket: the message of the ticket; realistic: epoch times, ids, varied lengths.",
            autocompletion=completing(CONTENTS),
        ),
    ] = "ticket,realistic",
    repetitions: Annotated[
        int, typer.Option(metavar="N", help="Samples of each stage, in all processes.")
    ] = 30,
    processes: Processes = PROCESSES,
    allocators: Annotated[
        str | None,
        typer.Option(
            help=f"Comma-separated, for the C++ contenders: {', '.join(NAMED)}. Default: the one "
            "with which wirecost was started.",
            autocompletion=completing(NAMED),
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the content.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """A small message by Protobuf, ROS and generated codecs, in C++, Python and Java."""
    from wirecost.bench.notification import scenario as notification
    from wirecost.cli.measuring import measure_and_report

    settings = notification.Settings(
        chosen("--lang", lang, LANGUAGES),
        tuple(numbers("--sizes", sizes)),
        chosen("--modes", modes, MODES),
        chosen("--content", content, CONTENTS),
        chosen("--wire", wire, WIRES),
        repetitions,
        seed,
        processes,
        chosen("--allocators", allocators, NAMED) if allocators else (),
    )
    settings.check()
    measure_and_report(notification.SCENARIO, out, json_file, partial(notification.run, settings))
