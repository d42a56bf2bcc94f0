# SPDX-License-Identifier: Apache-2.0
"""A result folder's report on a terminal."""

from __future__ import annotations

import shlex

from rich.console import Console

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.results.caution import caution, not_measured
from wirecost.results.report.scenarios import content_of
from wirecost.results.report.shared.first import FirstAnswer, print_answer
from wirecost.results.report.shared.terminal import print_table, say

LAST = 1
"""Lines that follow: where the page is."""


def print_first(console: Console, results: Results, rows: list[Row], more: str = "") -> None:
    """Print an answer that fits one screen; ``print_results`` prints all.

    Where a scenario has none of its own, it is the lead and as much of the first table as fits.
    ``more``: last line, where it does not say how to print all tables.
    """
    content = content_of(results, rows)
    first = content.first or FirstAnswer(content.lead or content.title, content.tables[0])
    absent = ", ".join(text.partition(":")[0] for text in not_measured(results.meta))
    doubts = [(f"Not measured: {absent}.", "dim")] if absent else []
    if said := caution(results.meta):
        doubts.append((said, "bold yellow"))
    folder = shlex.quote(str(results.folder))
    more = more or f"All tables: wirecost report {folder} --tables"
    print_answer(console, first, more, doubts, LAST)


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
