# SPDX-License-Identifier: Apache-2.0
"""A result folder's report on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.results.caution import caution, not_measured
from wirecost.results.report.scenarios import content_of
from wirecost.results.report.shared.first import FirstAnswer, print_answer
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table, say
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.shell import quoted
from wirecost.system.terminal import Console

ALL = "all"
"""Name that all tables have."""
LEAST = 30
"""Characters before a colon that say something without what follows."""
LAST = 1
"""Lines that follow: where the page is."""


def print_interim(console: Console, results: Results, rows: list[Row], answer: str) -> None:
    """Print the first table of a run that goes on: its answer may still change.

    ``answer``: a sentence in the place of the run's own.
    """
    first, doubts = _first_answer(console, results, rows)
    print_answer(console, replace(first, answer=answer, steps=[], hints=[]), "", doubts, LAST)


def print_first(console: Console, results: Results, rows: list[Row]) -> None:
    """Print an answer that fits one screen; ``print_results`` prints all.

    Where a scenario has none of its own, it is the lead and as much of the first table as fits,
    of those that come later where none comes first, as of floors alone.
    """
    first, doubts = _first_answer(console, results, rows)
    folder = quoted(results.folder)
    more = f"All tables: wirecost report {folder} --tables"
    print_answer(console, first, more, doubts, LAST)


def _first_answer(
    console: Console, results: Results, rows: list[Row]
) -> tuple[FirstAnswer, list[tuple[str, str]]]:
    """Return the answer, and the lines below its table with their styles."""
    content = content_of(results, rows)
    tables = [*content.tables, *content.folded, *content.details, Table("", [], [], [])]
    first = content.first or FirstAnswer(content.lead or content.title, tables[0])
    first = replace(first, table=_with_short_notes(first.table, console.width))
    absent = [text.partition(":")[0] for text in not_measured(results.meta)]
    doubts = [(_absent(absent, console.width), "dim")] if absent else []
    if said := caution(results.meta):
        doubts.append((said, "bold yellow"))
    return first, doubts


def _absent(names: list[str], width: int) -> str:
    """Name what was not measured in one line, or else count it."""
    text = f"Not measured: {', '.join(names)}; why: --tables."
    if len(text) <= width:
        return text
    return f"Not measured: {counted(len(names), 'contender')}; which and why: --tables."


def _with_short_notes(table: Table, width: int) -> Table:
    """Return a table whose notes are a line each, without what columns mean: the page says it."""
    notes = (_line(note, width) for note in table.notes if not table.explains(note))
    return replace(table, notes=[note for note in notes if note])


def _line(note: str, width: int) -> str:
    """Return as much of a note as fits a line and says something by itself."""
    if len(note) <= width:
        return note
    for ends, rest, least in (("; ", ". "), ".", 1), ((": ",), ".", LEAST), ((", ",), ", …", 1):
        length = max(note[: width - len(rest)].rfind(end) for end in ends)
        if length >= least:
            return note[:length] + rest
    return ""


def named_tables(tables: Sequence[Table], name: str) -> list[Table]:
    """Return the tables that have a name in their title, whatever its case. Raises UserError."""
    found = [table for table in tables if name.casefold() in table.title.casefold()]
    if not found:
        titles = "; ".join(dict.fromkeys(table.title for table in tables))
        raise UserError(f"--tables {name}: no table is called so; there are: {titles}")
    return found


def print_results(
    console: Console,
    results: Results,
    rows: list[Row],
    name: str = ALL,
    *,
    is_whole: bool = False,
) -> None:
    """Print the summary tables, what was not measured, and how everything was built.

    ``name``: of the only table to print; ``is_whole``: with all columns, whatever the console's
    width. Raises UserError.
    """
    content = content_of(results, rows)
    if name != ALL:
        every = [*content.tables, *content.folded, *content.details]
        for table in named_tables(every, name):
            print_table(_as_wide(console, table) if is_whole else console, table)
        return
    if content.lead and content.begins_with_lead:
        say(console, content.lead)
        console.print()
    absent = _absences(not_measured(results.meta))
    for text in absent:
        say(console, f"Not measured: {text}", "bold red")
    if absent:
        console.print()
    wider = f"COLUMNS=200 wirecost report {quoted(results.folder)} --tables"
    for table in (*content.tables, *content.folded):
        print_table(_as_wide(console, table) if is_whole else console, table, wider)
    if content.built:
        say(console, content.built, "dim")
    if said := caution(results.meta):
        say(console, said, "bold yellow")
    if content.lead and not content.begins_with_lead:
        say(console, content.lead)
        console.print()


def _absences(lines: list[str]) -> list[str]:
    """Join the names that have the same reason."""
    names: dict[str, dict[str, None]] = {}
    for line in lines:
        name, _, why = line.partition(": ")
        names.setdefault(why, {})[name] = None
    return [f"{', '.join(of)}: {why}" for why, of in names.items()]


def _as_wide(console: Console, table: Table) -> Console:
    """Return a console with room for all columns of a table that may lack some."""
    if not table.optional:
        return console
    columns = zip(table.headings, *table.rows, strict=True)
    needed = sum(1 + max(map(len, column)) for column in columns) - 1
    return Console(file=console.file, width=max(console.width, needed))
