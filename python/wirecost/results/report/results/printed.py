# SPDX-License-Identifier: Apache-2.0
"""A result folder's report on a terminal."""

from __future__ import annotations

import shlex

from rich.console import Console

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.results.caution import caution, not_measured
from wirecost.results.report.scenarios import content_of
from wirecost.results.report.shared.terminal import print_table, say


def print_first(console: Console, results: Results, rows: list[Row]) -> None:
    """Print the answer that fits one screen, or all tables where the scenario has none."""
    first = content_of(results, rows).first
    if first is None:
        print_results(console, results, rows)
        return
    say(console, first.answer)
    console.print()
    print_table(console, first.table)
    for number, step in enumerate(first.steps, 1):
        say(console, f"{number}. {step}")
    absent = not_measured(results.meta)
    if absent:
        names = ", ".join(text.partition(":")[0] for text in absent)
        say(console, f"Not measured: {names}.", "dim")
    if said := caution(results.meta):
        say(console, said, "bold yellow")
    folder = shlex.quote(str(results.folder))
    console.print(f"All tables: wirecost report {folder} --tables", soft_wrap=True, highlight=False)


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
