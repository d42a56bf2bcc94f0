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
    from wirecost.results.records.measured import MeasuredFolder

EXAMPLE = "wirecost results --last 5"


def command(
    folder: Annotated[Path, argument("[DIR]", "A folder with result folders in it.")] = HERE,
    last: Annotated[int, option("Only the latest N of them.", metavar="N", min=1)] = 20,
    json_file: JsonFile = None,
) -> None:
    """List what was measured: result folders, the latest last."""
    from wirecost.results.records.measured import measured_in

    folders = measured_in(folder)
    latest = folders[-last:]
    console = console_beside(json_file)
    if latest:
        print_table(console, _table(folder, latest, len(folders)))
    else:
        line = f"{folder}: no result folder in it; measure with `wirecost bench`"
        console.print(printable(line), highlight=False, markup=False, soft_wrap=True)
    write_json(json_file, [_row(run) for run in latest])


def _table(folder: Path, latest: list[MeasuredFolder], count: int) -> Table:
    body = [
        [run.folder.name, run.scenario, _contenders(run), run.verdict, _what(run)] for run in latest
    ]
    notes = ["machine: the doctor's verdict when it was measured"]
    if len(latest) < count:
        notes.append(f"The latest {len(latest)} of {count}; --last {count} lists all.")
    notes.append(f"`wirecost report {folder}/NAME --open` shows one, without NAME the latest.")
    headings = ["folder", "scenario", "contenders", "machine", "how"]
    return Table(f"Results in {folder}", headings, body, notes, optional=("machine", "how"))


def _contenders(run: MeasuredFolder) -> str:
    failed = f", {run.failed} failed" if run.failed else ""
    return f"{run.contenders}{failed}" if run.contenders else ""


def _what(run: MeasuredFolder) -> str:
    if run.problem:
        return run.problem
    words = " ".join(run.command[1:]) if len(run.command) > 1 else ""
    return f"{words} (interrupted)" if run.interrupted else words


def _row(run: MeasuredFolder) -> dict[str, object]:
    return {
        "folder": str(run.folder),
        "scenario": run.scenario,
        "created": run.created,
        "command": list(run.command),
        "contenders": run.contenders,
        "failed": run.failed,
        "interrupted": run.interrupted,
        "verdict": run.verdict,
        "wirecost": run.wirecost,
        "problem": run.problem,
    }
