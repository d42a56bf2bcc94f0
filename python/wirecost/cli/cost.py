# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost``: what every topic of a recording costs each second, and what to do."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from wirecost.cli.console import progress, say_notes
from wirecost.cli.json_file import JsonFile, console_beside, write_json
from wirecost.cli.options import argument, option
from wirecost.system.errors import UserError

LANGUAGES = ("cpp", "python")
EXAMPLE = "wirecost cost drive.mcap --subscribers /points=3"


def command(
    files: Annotated[
        list[Path], argument("RECORDING…", "MCAP, bags of ROS 1 and ROS 2, .db3, .osi.")
    ],
    subscribers: Annotated[
        list[str] | None,
        option(
            "Receivers of a topic, such as /points=3; default 1; can be repeated.",
            metavar="TOPIC=N",
        ),
    ] = None,
    lang: Annotated[
        str, option("Language of both ends: cpp or python.", known=LANGUAGES, metavar="NAME")
    ] = "cpp",
    include: Annotated[
        list[Path] | None,
        option("Folder with definitions that it lacks; can be repeated.", "-I", metavar="DIR"),
    ] = None,
    calibrate: Annotated[
        bool, option("First measure this machine's prices, once, in about 3 minutes.")
    ] = False,
    every: Annotated[bool, option("Print all topics and all columns.", "--all")] = False,
    json_file: JsonFile = None,
) -> None:
    """Print what every topic of a recording costs each second, and which remedy pays."""
    import msgspec

    from wirecost.measure.cost.calibration import calibrated
    from wirecost.measure.cost.prices import keep, known_prices, own_path
    from wirecost.measure.cost.survey import survey
    from wirecost.measure.cost.system import system_cost
    from wirecost.results.report.cost.answer import doubts, first_answer, table
    from wirecost.results.report.shared.first import print_answer
    from wirecost.results.report.shared.terminal import print_table

    if lang not in LANGUAGES:
        raise UserError(f"--lang {lang}: give cpp or python")
    counts = dict(_subscribers(text) for text in subscribers or ())
    with progress() as advance:
        if calibrate:
            prices = calibrated(LANGUAGES, lambda text: advance(0, 1, text))
            keep(prices, own_path())
        read = survey(files, include or (), advance)
    if not read.topics:
        raise UserError(f"{files[0]}: holds no message; name another recording")
    cost = system_cost(files, read, known_prices(), lang, counts)
    say_notes(cost.warnings)
    console = console_beside(json_file)
    if every:
        print_table(console, table(cost))
    else:
        print_answer(
            console, first_answer(cost), f"All topics: {_again(files)} --all", doubts(cost)
        )
    write_json(json_file, msgspec.to_builtins(cost))


def _again(files: list[Path]) -> str:
    return shlex.join(["wirecost", "cost", *map(str, files)])


def _subscribers(text: str) -> tuple[str, int]:
    topic, _, count = text.rpartition("=")
    if not topic or not count.isdecimal():
        raise UserError(f"--subscribers {text}: give TOPIC=N, such as /points=3")
    return topic, int(count)
