# SPDX-License-Identifier: Apache-2.0
"""``wirecost results``: what was measured here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.ending import Output, answering
from wirecost.cli.options import argument, option
from wirecost.results.records.choices import HERE
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.results.records.result_folders import MeasuredFolder

LISTED = 20
"""Result folders that are listed where nothing else is asked for."""
EXAMPLE = "wirecost results --last 5"


@answering()
def command(
    folder: Annotated[
        Path, argument("[DIR]", "A folder with result folders in it, or one of these.")
    ] = HERE,
    last: Annotated[
        int | None, option("List the latest N of them.", metavar="N", min=1, show_default=False)
    ] = None,
    *,
    output: Output,
) -> Answer:
    """List result folders, the latest first; or print one's answer."""
    from wirecost.results.records.result_folders import is_result, measured_in

    if is_result(folder):
        if last is not None:
            raise UserError(f"--last {last}: {folder} is one result; leave --last out")
        return _answer_of(folder)
    folders = measured_in(folder)
    listed = last or (len(folders) if output.show_all else LISTED)
    latest = folders[-listed:]
    document = [_row(run) for run in latest]
    if not latest:
        text = f"{folder}: no result folder in it; measure with `wirecost bench`"
        return Answer(text, document=document)
    return Answer(
        f"{counted(len(folders), 'result')} in {folder}, the latest first.",
        _table("Results", folders if last is None else latest),
        more="--all lists all. To open one as a page: wirecost report "
        f"{shell_line(folder / 'NAME')} --open",
        sections=[Section([_table(f"Results in {folder}", latest)])],
        heading=f"Results in {folder}",
        document=document,
    )


def _answer_of(folder: Path) -> Answer:
    """Return what the run printed that filled the folder. Raises UserError."""
    from wirecost.results.analysis.summary import summarize
    from wirecost.results.records.reading import read_results
    from wirecost.results.records.remedy_trial import is_trial, read_trial
    from wirecost.results.report.probe.remedy_gains import trial_answer
    from wirecost.results.report.results.answer import results_answer

    if is_trial(folder):
        return trial_answer(read_trial(folder))
    results = read_results(folder)
    return results_answer(results, summarize(results))


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
