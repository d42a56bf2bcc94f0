# SPDX-License-Identifier: Apache-2.0
"""A result folder's report on a terminal."""

from __future__ import annotations

import io
import shlex
from dataclasses import replace

from rich.console import Console

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.results.caution import caution, not_measured
from wirecost.results.report.scenarios import FirstAnswer, content_of
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table, say
from wirecost.system.counted import counted

SCREEN = 24
"""Lines of a terminal, of 80 columns, that a first answer fits."""
LAST = 1
"""Lines that follow: where the page is."""


def print_first(console: Console, results: Results, rows: list[Row]) -> None:
    """Print an answer that fits one screen; ``print_results`` prints all.

    Where a scenario has none of its own, it is the lead and as much of the first table as fits.
    """
    content = content_of(results, rows)
    first = content.first or FirstAnswer(content.lead or content.title, content.tables[0], [])
    absent = ", ".join(text.partition(":")[0] for text in not_measured(results.meta))
    folder = shlex.quote(str(results.folder))

    def begin(console: Console) -> None:
        say(console, first.answer)
        console.print()

    def end(console: Console) -> None:
        for number, step in enumerate(first.steps, 1):
            say(console, f"{number}. {step}")
        if absent:
            say(console, f"Not measured: {absent}.", "dim")
        if said := caution(results.meta):
            say(console, said, "bold yellow")
        more = f"All tables: wirecost report {folder} --tables"
        console.print(more, soft_wrap=True, highlight=False)

    # Measured on a console of its own, as the other may be captured.
    trial = Console(file=io.StringIO(), width=console.width)
    begin(trial)
    end(trial)
    begin(console)
    print_table(console, _fitting(first.table, console.width, SCREEN - LAST - _lines(trial)))
    end(console)


def _fitting(table: Table, width: int, room: int) -> Table:
    """Return as much of a table as fits so many lines: first without notes, then without rows."""

    def fits(part: Table) -> bool:
        trial = Console(file=io.StringIO(), width=width)
        print_table(trial, part)
        return _lines(trial) <= room

    shorter = [replace(table, notes=table.notes[:count]) for count in range(len(table.notes) + 1)]
    for part in reversed(shorter):
        if fits(part):
            return part
    for count in range(len(table.rows) - 1, 0, -1):
        left_out = counted(len(table.rows) - count, "more row")
        part = replace(table, rows=table.rows[:count], notes=[f"… {left_out}"])
        if fits(part):
            return part
    return part


def _lines(trial: Console) -> int:
    """Return how many lines were printed to a string."""
    assert isinstance(trial.file, io.StringIO)
    return trial.file.getvalue().count("\n")


def print_results(console: Console, results: Results, rows: list[Row]) -> None:
    """Print the summary tables, what was not measured, and how everything was built."""
    content = content_of(results, rows)
    if content.lead and content.begins_with_lead:
        say(console, content.lead)
        console.print()
    wider = f"COLUMNS=200 wirecost report {shlex.quote(str(results.folder))} --tables"
    for table in (*content.tables, *content.folded):
        print_table(console, table, wider)
    for text in not_measured(results.meta):
        say(console, f"not measured: {text}", "bold red")
    if content.built:
        say(console, content.built, "dim")
    if said := caution(results.meta):
        say(console, said, "bold yellow")
    if content.lead and not content.begins_with_lead:
        say(console, content.lead)
        console.print()
