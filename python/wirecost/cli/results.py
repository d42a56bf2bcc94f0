# SPDX-License-Identifier: Apache-2.0
"""``wirecost results``: what was measured here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.json_file import JsonFile, console_beside, write_json
from wirecost.cli.options import argument, option
from wirecost.results.records.choices import HERE
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.printable import printable

if TYPE_CHECKING:
    from wirecost.results.records.measured import Measured

EXAMPLE = "wirecost results --last 5"


def command(
    folder: Annotated[Path, argument("[DIR]", "A folder with result folders in it.")] = HERE,
    last: Annotated[int, option("Only the latest N of them.", metavar="N", min=1)] = 20,
    json_file: JsonFile = None,
) -> None:
    """List what was measured: result folders, the latest last."""
    from wirecost.results.records.measured import measured_in

    found = measured_in(folder)
    shown = found[-last:]
    console = console_beside(json_file)
    if shown:
        print_table(console, _table(folder, shown, len(found)))
    else:
        line = f"{folder}: no result folder in it; measure with `wirecost bench`"
        console.print(printable(line), highlight=False, markup=False, soft_wrap=True)
    write_json(json_file, [_row(one) for one in shown])


def _table(folder: Path, shown: list[Measured], count: int) -> Table:
    body = [
        [one.folder.name, one.scenario, _contenders(one), one.verdict, _what(one)] for one in shown
    ]
    notes = ["machine: the doctor's verdict when it was measured"]
    if len(shown) < count:
        notes.append(f"The latest {len(shown)} of {count}; --last {count} lists all.")
    notes.append(f"`wirecost report {folder}/NAME --open` shows one, without NAME the latest.")
    headings = ["folder", "scenario", "contenders", "machine", "how"]
    return Table(f"Results in {folder}", headings, body, notes, optional=("machine", "how"))


def _contenders(one: Measured) -> str:
    failed = f", {one.failed} failed" if one.failed else ""
    return f"{one.contenders}{failed}" if one.contenders else ""


def _what(one: Measured) -> str:
    if one.problem:
        return one.problem
    words = " ".join(one.command[1:]) if len(one.command) > 1 else ""
    return f"{words} (interrupted)" if one.interrupted else words


def _row(one: Measured) -> dict[str, object]:
    return {
        "folder": str(one.folder),
        "scenario": one.scenario,
        "created": one.created,
        "command": list(one.command),
        "contenders": one.contenders,
        "failed": one.failed,
        "interrupted": one.interrupted,
        "verdict": one.verdict,
        "wirecost": one.wirecost,
        "problem": one.problem,
    }
