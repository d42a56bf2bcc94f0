# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench fmi``: what an FMI variable costs, and shared memory beside copies."""

from __future__ import annotations

from typing import Annotated

from wirecost.cli.console import progress
from wirecost.cli.json_file import JsonFile, console_beside, write_json
from wirecost.cli.options import numbers, option
from wirecost.system.byte_sizes import parse_size
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench fmi --counts 1,1000 --sizes 1MiB"

MOST_ROUNDS = 1000
WORD = 8
"""Bytes of which a message's size is a multiple: it is written and checked in words."""


def command(
    counts: Annotated[
        str, option("Values exchanged at a communication point.", metavar="N,…")
    ] = "1,100,10000",
    sizes: Annotated[
        str, option("Sizes of messages.", metavar="SIZE,…")
    ] = "8B,64KiB,1MiB,8MiB,64MiB",
    rounds: Annotated[int, option("How often each contender runs.", metavar="N")] = 20,
    every: Annotated[bool, option("Print all tables.", "--all")] = False,
    json_file: JsonFile = None,
) -> None:
    """Compare importers, calls and carriers of FMI 2 and 3.

    Two FMUs exchange values by number, and messages by size: OSMP pointers, binaries, shared
    memory. Every value and message is checked.
    """
    import msgspec

    from wirecost.measure.bench.fmi.race import MOST_BYTES, MOST_VALUES, race
    from wirecost.results.report.fmi.answer import first_answer, tables
    from wirecost.results.report.shared.first import print_answer
    from wirecost.results.report.shared.terminal import print_table

    numbers_of_values = numbers("--counts", counts)
    if not all(1 <= one <= MOST_VALUES for one in numbers_of_values):
        raise UserError(f"--counts {counts}: give 1 to {MOST_VALUES:,}")
    bytes_of = list(
        dict.fromkeys(parse_size("--sizes", text, "8B or 1MiB") for text in sizes.split(","))
    )
    if not all(WORD <= one <= MOST_BYTES and one % WORD == 0 for one in bytes_of):
        raise UserError(f"--sizes {sizes}: give multiples of {WORD} bytes, at most 64MiB")
    if not 1 <= rounds <= MOST_ROUNDS:
        raise UserError(f"--rounds {rounds}: give 1 to {MOST_ROUNDS:,}")
    with progress() as advance:
        raced = race(numbers_of_values, bytes_of, rounds, advance)
    console = console_beside(json_file)
    if every:
        for table in tables(raced):
            print_table(console, table)
    else:
        absent = f"Not measured: {', '.join(raced.absent)}. " if raced.absent else ""
        print_answer(console, first_answer(raced), f"{absent}All tables, and why: --all")
    if json_file is not None:
        write_json(json_file, msgspec.to_builtins(raced))
