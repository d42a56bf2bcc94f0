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
from wirecost.system.counted import counted
from wirecost.system.printable import printable
from wirecost.system.shell import quoted

if TYPE_CHECKING:
    from wirecost.results.records.measured import MeasuredFolder

LISTED = 20
"""Result folders that are listed where nothing else is asked for."""
EXAMPLE = "wirecost results --last 5"


def command(
    folder: Annotated[Path, argument("[DIR]", "A folder with result folders in it.")] = HERE,
    last: Annotated[
        int | None, option("List the latest N of them.", metavar="N", min=1, show_default=False)
    ] = None,
    every: Annotated[bool, option("List all of them.", "--all")] = False,
    json_file: JsonFile = None,
) -> None:
    """List what was measured: result folders, the latest first."""
    from wirecost.results.records.measured import measured_in
    from wirecost.results.report.shared.first import FirstAnswer, print_answer

    folders = measured_in(folder)
    latest = folders if every else folders[-(last or LISTED) :]
    console = console_beside(json_file)
    if not latest:
        line = f"{folder}: no result folder in it; measure with `wirecost bench`"
        console.print(printable(line), highlight=False, markup=False, soft_wrap=True)
    elif every or last is not None:
        print_table(console, _table(f"Results in {folder}", latest))
    else:
        answer = f"{counted(len(folders), 'result')} in {folder}, the latest first."
        more = f"All: --all. One as a page: wirecost report {quoted(folder / 'NAME')} --open"
        print_answer(console, FirstAnswer(answer, _table("Results", folders)), more)
    write_json(json_file, [_row(run) for run in latest])


def _table(title: str, latest: list[MeasuredFolder]) -> Table:
    body = [
        [run.folder.name, run.scenario, _contenders(run), run.verdict, _what(run)]
        for run in reversed(latest)
    ]
    headings = ["folder", "scenario", "contenders", "machine", "how"]
    return Table(title, headings, body, [], optional=("machine", "how"))


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
