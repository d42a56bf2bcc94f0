# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench message``: measure, then print and keep the report."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wirecost.bench.message.choices import FRAMINGS, LANGUAGES, PROCESSES, SAMPLED, USUAL
from wirecost.chosen import chosen
from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.choices import completing, transport_names
from wirecost.compile.choices import DIALECTS
from wirecost.errors import UserError

EXAMPLE = "wirecost bench message robot.proto --type robot.State --data drive.mcap"


def command(
    schema: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SCHEMA]…",
            help=".proto, .msg, .srv or .action files, descriptor sets or Python modules; "
            "--data may bring its own.",
            show_default=False,
        ),
    ] = None,
    type_name: Annotated[
        str,
        typer.Option(
            "--type", metavar="NAME", help="The message type, such as acme.drone.State or State."
        ),
    ] = "",
    include: Annotated[
        list[Path] | None,
        typer.Option(
            "-I", "--include", metavar="DIR", help="Folder to search for imports; can be repeated."
        ),
    ] = None,
    dialect: Annotated[
        str,
        typer.Option(
            help="Dialect of .msg files: ros1 or ros2; default: detected.",
            autocompletion=completing(DIALECTS),
            show_default=False,
        ),
    ] = "",
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Messages: .mcap, bags of ROS 1 and ROS 2, .osi, length-delimited .binpb, .json, "
            ".jsonl, .textproto. Default: made-up messages.",
        ),
    ] = None,
    framing: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Content of a .binpb file: single or delimited messages; default: detected.",
            autocompletion=completing(FRAMINGS),
            show_default=False,
        ),
    ] = "",
    topic: Annotated[str, typer.Option(help="The topic, if a recording has several.")] = "",
    first: Annotated[
        int | None, typer.Option(metavar="N", help="Measure the first N messages only.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N", help=f"With --data: messages spread over it. Default: {SAMPLED}."
        ),
    ] = None,
    elements: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=N",
            help="Length of a list, or number of bytes, in made-up messages, by path or name; can "
            "be repeated.",
        ),
    ] = None,
    lang: Annotated[
        str,
        typer.Option(
            help="Languages of the contenders, comma-separated: cpp, python, java.",
            autocompletion=completing(LANGUAGES),
        ),
    ] = ",".join(USUAL),
    contender: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A codec of yours: a C++ header or a Python module; can be repeated.",
        ),
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="For messages of ROS 2: the Python of a ROS 2, if this one has none.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            help="Messages per second: also print the share of a processor that they take.",
        ),
    ] = None,
    subscribers: Annotated[
        int, typer.Option(metavar="N", help="With --rate: number of receivers.")
    ] = 1,
    over: Annotated[
        str,
        typer.Option(
            metavar="TRANSPORT",
            help="With --rate: also send the messages over this transport, such as dds.",
            autocompletion=completing(transport_names),
        ),
    ] = "",
    repetitions: Annotated[
        int, typer.Option(metavar="N", help="Samples of each contender, in all processes.")
    ] = 30,
    processes: Processes = PROCESSES,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Number of compilers that run at the same time.")
    ] = os.cpu_count() or 1,
    seed: Annotated[int, typer.Option(help="Seed of content, sample and order.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Your own message: what it costs in each library and mode, and which fields cost it."""
    from wirecost.bench.message import scenario as bench_message
    from wirecost.bench.message.at_rate.carrying import Asked
    from wirecost.bench.message.data import Choice
    from wirecost.cli.measuring import measure_and_report

    settings = bench_message.Settings(
        tuple(schema or ()),
        type_name,
        tuple(include or ()),
        dialect,
        data,
        Choice(topic, first, sample, seed, framing),
        dict(_elements(one) for one in elements or ()),
        chosen("--lang", lang, LANGUAGES),
        tuple(contender or ()),
        Asked(rate, subscribers, over),
        python,
        repetitions,
        processes,
        jobs,
    )
    settings.check()
    measure_and_report(bench_message.SCENARIO, out, json_file, partial(bench_message.run, settings))


def _elements(text: str) -> tuple[str, int]:
    name, _, count = text.partition("=")
    if not name or not count.isdecimal():
        raise UserError(f"--elements {text}: give FIELD=N, as points=1000")
    return name, int(count)
