# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench message``: measure, then print and keep the report."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

from wirecost.cli.bench import Processes
from wirecost.cli.ending import JsonFile
from wirecost.cli.options import argument, option, transport_names
from wirecost.cli.scenario_command import Out
from wirecost.measure.bench.message.choices import (
    FRAMINGS,
    PROCESSES,
    REPETITIONS,
    SAMPLED,
    USUAL,
)
from wirecost.measure.serializers.choices import LANGUAGES, LIBRARIES
from wirecost.schema.compile.choices import DIALECTS
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench message drive.mcap --topic /state"


def command(
    schema: Annotated[
        list[str] | None,
        argument(
            "[SCHEMA|RECORDING]…",
            ".proto, .msg, .srv, .action or .idl files, descriptor sets, Python modules; a "
            "recording (.mcap, .bag, .db3, .osi, a bag's folder) may bring its own.",
            show_default=False,
        ),
    ] = None,
    type_name: Annotated[
        str,
        option("The message type, such as acme.drone.State or State.", "--type", metavar="NAME"),
    ] = "",
    include: Annotated[
        list[Path] | None,
        option("Folder to search for imports; can be repeated.", "-I", "--include", metavar="DIR"),
    ] = None,
    dialect: Annotated[
        str,
        option(
            "Dialect of .msg files: ros1 or ros2; default: detected.",
            known=DIALECTS,
            show_default=False,
        ),
    ] = "",
    data: Annotated[
        Path | None,
        option(
            "Messages: .mcap, bags of ROS 1 and ROS 2, .osi, length-delimited .binpb, .json, "
            ".jsonl, .textproto. Default: made-up messages.",
            metavar="FILE",
        ),
    ] = None,
    framing: Annotated[
        str,
        option(
            "Content of a .binpb file: single or delimited messages; default: detected.",
            metavar="NAME",
            known=FRAMINGS,
            show_default=False,
        ),
    ] = "",
    topic: Annotated[str, option("The topic, if a recording has several.")] = "",
    first: Annotated[int | None, option("Measure the first N messages only.", metavar="N")] = None,
    sample: Annotated[
        int | None,
        option(f"With --data: messages spread over it. Default: {SAMPLED}.", metavar="N"),
    ] = None,
    elements: Annotated[
        list[str] | None,
        option(
            "Length of a list, or number of bytes, in made-up messages, by path or name; can "
            "be repeated.",
            metavar="FIELD=N",
        ),
    ] = None,
    lang: Annotated[
        str,
        option(
            f"Languages of the contenders, comma-separated: {', '.join(LANGUAGES)}.",
            known=LANGUAGES,
        ),
    ] = ",".join(USUAL),
    library: Annotated[
        str,
        option(
            "Libraries to compare, comma-separated; default: all that are here and compile "
            "quickly.",
            metavar="NAME",
            known=LIBRARIES,
            show_default=False,
        ),
    ] = "",
    contender: Annotated[
        list[Path] | None,
        option(
            "A codec of yours: a C++ header, a Python module or a Java class; can be repeated.",
            metavar="FILE",
        ),
    ] = None,
    python: Annotated[
        Path | None,
        option(
            "For messages of ROS 2: the Python of a ROS 2, if this one has none.", metavar="PATH"
        ),
    ] = None,
    rate: Annotated[
        float | None,
        option(
            "Messages per second: also print the share of a processor that they take.", metavar="HZ"
        ),
    ] = None,
    subscribers: Annotated[int, option("With --rate: number of receivers.", metavar="N")] = 1,
    over: Annotated[
        str,
        option(
            "With --rate: also send the messages over this transport, such as dds.",
            metavar="TRANSPORT",
            known=transport_names,
        ),
    ] = "",
    repetitions: Annotated[
        int | None,
        option(
            f"Samples of each contender, in all processes. Default: {REPETITIONS}, or "
            "--processes where that is more.",
            metavar="N",
        ),
    ] = None,
    processes: Processes = PROCESSES,
    jobs: Annotated[
        int, option("Number of compilers that run at the same time.", metavar="N")
    ] = os.cpu_count() or 1,
    seed: Annotated[int, option("Seed of content, sample and order.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Your own message: what each library costs, and which fields."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.at_rate.carrying import RateRequest
    from wirecost.measure.bench.message import scenario as bench_message
    from wirecost.measure.bench.message.data import MessageChoice, is_data

    recordings = [Path(name) for name in schema or () if is_data(Path(name))]
    if len(recordings) + (data is not None) > 1:
        raise UserError(f"{recordings[-1]}: one recording is measured at a time; name one")
    data = next(iter(recordings), data)
    settings = bench_message.MessageSettings(
        tuple(name for name in schema or () if Path(name) not in recordings),
        type_name,
        tuple(include or ()),
        dialect,
        data,
        MessageChoice(topic, first, sample, seed, framing),
        dict(_elements(text) for text in elements or ()),
        chosen("--lang", lang, LANGUAGES),
        chosen("--library", library, LIBRARIES) if library else (),
        tuple(contender or ()),
        RateRequest(rate, subscribers, over),
        python,
        _repetitions(repetitions, processes),
        processes,
        jobs,
    )
    settings.check()
    measure_and_report(bench_message.SCENARIO, out, json_file, partial(bench_message.run, settings))


def _repetitions(asked: int | None, processes: int) -> int:
    """Return a sample at least for each process. Raises UserError where fewer were asked for."""
    if asked is None:
        return max(REPETITIONS, processes)
    if 0 < asked < processes and processes != PROCESSES:
        raise UserError(
            f"--processes {processes}: has {asked} samples; give --repetitions {processes} or more"
        )
    return asked


def _elements(text: str) -> tuple[str, int]:
    name, _, count = text.partition("=")
    if not name or not count.isdecimal():
        raise UserError(f"--elements {text}: give FIELD=N, as points=1000")
    return name, int(count)
