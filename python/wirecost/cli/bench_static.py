# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench static``: lanes in every message of a GroundTruth, or once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.bench import Processes
from wirecost.cli.console import progress
from wirecost.cli.json_file import JsonFile, check_writable, console_beside, write_json
from wirecost.cli.options import argument, option
from wirecost.cli.trace_options import FORMATS, Topic, Type
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench static --kilometres 100"

MOST_KILOMETRES = 10_000
MOST_OBJECTS = 100_000
MOST_ROUNDS = 100_000
MOST_PROCESSES = 100


def command(
    file: Annotated[
        Path | None,
        argument(
            "[FILE]",
            f"A trace of GroundTruth or SensorView ({FORMATS}); without one, a made-up road.",
            show_default=False,
        ),
    ] = None,
    kilometres: Annotated[
        int, option("Length of the made-up lanes: 10 lanes of 100 m each.", metavar="N")
    ] = 100,
    objects: Annotated[int, option("Moving objects on the made-up road.", metavar="N")] = 50,
    rounds: Annotated[int, option("How often each contender sends 16 steps.", metavar="N")] = 30,
    processes: Processes = 5,
    every: Annotated[bool, option("Also print what of a trace changes.", "--all")] = False,
    type_name: Type = None,
    topic: Topic = None,
    json_file: JsonFile = None,
) -> None:
    """Compare a GroundTruth sent whole with static data sent once.

    Protobuf, FlatBuffers and columns; the reader reads all objects and a lane's centre line.
    """
    import msgspec

    from wirecost.measure.bench.ground_truth.race import race
    from wirecost.measure.bench.ground_truth.steps import made_up, of_trace
    from wirecost.results.report.shared.first import print_answer
    from wirecost.results.report.shared.terminal import print_table
    from wirecost.results.report.static.answer import changes, first_answer

    for name, value, most in (
        ("--kilometres", kilometres, MOST_KILOMETRES),
        ("--objects", objects, MOST_OBJECTS),
        ("--rounds", rounds, MOST_ROUNDS),
        ("--processes", processes, MOST_PROCESSES),
    ):
        if not 1 <= value <= most:
            raise UserError(f"{name} {value}: give 1 to {most:,}")
    if file is None and (topic or type_name):
        raise UserError("--topic, --type: are for a trace; name one")
    check_writable("--json", json_file)
    with progress() as advance:
        steps = (
            made_up(kilometres, objects)
            if file is None
            else of_trace(file, topic, type_name, advance)
        )
        raced = race(steps, rounds, processes, advance)
    console = console_beside(json_file)
    failed = f"Failed: {', '.join(raced.failed)}. " if raced.failed else ""
    print_answer(console, first_answer(raced), f"{failed}Every sample, and what changes: --json.")
    if every and raced.changes:
        print_table(console, changes(raced))
    if json_file is not None:
        write_json(json_file, msgspec.to_builtins(raced))
