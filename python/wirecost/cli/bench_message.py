# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench message``: measure, then print and keep the report."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wirecost.bench.message import scenario as bench_message
from wirecost.bench.message.at_rate.carrying import Asked
from wirecost.bench.message.data import SAMPLED, Choice
from wirecost.chosen import chosen
from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.choices import completing
from wirecost.cli.measuring import measure_and_report
from wirecost.compile.frontends.ros.builtin import DIALECTS
from wirecost.errors import UserError
from wirecost.transport import names


def _transports(incomplete: str) -> list[str]:
    """Shell completion; only then are they all imported."""
    return completing(names())(incomplete)


def command(
    schema: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SCHEMA]…",
            help=".proto, .msg or .srv files, descriptor sets or Python modules; --data may bring "
            "its own.",
            show_default=False,
        ),
    ] = None,
    type_name: Annotated[
        str,
        typer.Option("--type", metavar="NAME", help="As acme.drone.State, or State."),
    ] = "",
    include: Annotated[
        list[Path] | None,
        typer.Option("-I", "--include", metavar="DIR", help="Where imports are searched."),
    ] = None,
    dialect: Annotated[
        str,
        typer.Option(
            help="Of .msg files, ros1 or ros2; else seen from them.",
            autocompletion=completing(DIALECTS),
            show_default=False,
        ),
    ] = "",
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Messages: .mcap, bags of ROS 1 and ROS 2, .osi, length-delimited .binpb, .json, "
            ".jsonl, .textproto. Default: made-up ones.",
        ),
    ] = None,
    topic: Annotated[str, typer.Option(help="Of a recording with several.")] = "",
    first: Annotated[int | None, typer.Option(metavar="N", help="The first messages only.")] = None,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Messages spread over the data. Default: {SAMPLED}."),
    ] = None,
    elements: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=N",
            help="Of a list, or bytes, of made-up messages, by its path or name; repeatable.",
        ),
    ] = None,
    lang: Annotated[
        str,
        typer.Option(
            help="Of the contenders, comma-separated: cpp, python, java.",
            autocompletion=completing(bench_message.LANGUAGES),
        ),
    ] = ",".join(bench_message.USUAL),
    contender: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A codec of your own: a C++ header or a Python module; repeatable.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="HZ", help="Messages a second: also say what they take of a processor."
        ),
    ] = None,
    subscribers: Annotated[
        int, typer.Option(metavar="N", help="With --rate: who get each message.")
    ] = 1,
    over: Annotated[
        str,
        typer.Option(
            metavar="TRANSPORT",
            help="With --rate: what carries them, as zeromq or dds.",
            autocompletion=_transports,
        ),
    ] = "",
    repetitions: Annotated[
        int, typer.Option(metavar="N", help="Samples of each contender, in all processes.")
    ] = 30,
    processes: Processes = bench_message.Settings.processes,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Compilers that run at once.")
    ] = os.cpu_count() or 1,
    seed: Annotated[int, typer.Option(help="Of content, sample and order.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Your own message: what it costs in each library and mode, and which fields cost it."""
    settings = bench_message.Settings(
        tuple(schema or ()),
        type_name,
        tuple(include or ()),
        dialect,
        data,
        Choice(topic, first, sample, seed),
        dict(_elements(one) for one in elements or ()),
        chosen("--lang", lang, bench_message.LANGUAGES),
        tuple(contender or ()),
        Asked(rate, subscribers, over),
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
