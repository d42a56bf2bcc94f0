# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from wirecost.analysis.summary import Row
from wirecost.printable import printable
from wirecost.records.folder import Results
from wirecost.report import table
from wirecost.report.failures import not_measured
from wirecost.report.scenarios import content_of


def print_table(console: Console, content: table.Table) -> None:
    """All of it as it is: names come from programs and files, whatever they look like to Rich and
    to a terminal."""
    out = RichTable(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=0,
    )
    hidden = _hidden(content, console.width)
    shown = [i for i, heading in enumerate(content.headings) if heading not in hidden]
    for i in shown:
        heading = Text(printable(content.headings[i]))
        out.add_column(heading, justify="right" if i else "left", no_wrap=True)
    for cells in content.rows:
        out.add_row(*(Text(printable(cells[i])) for i in shown))
    _say(console, content.title, "bold")
    console.print(out)
    for note in content.notes:
        _say(console, note, "dim")
    if hidden:
        text = f"{len(hidden)} more columns on a wider terminal: {', '.join(hidden)}."
        _say(console, text, "dim")
    console.print()


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(printable(text), style=style, highlight=False, markup=False)


def _hidden(content: table.Table, width: int) -> list[str]:
    """The optional columns to leave out so that the others fit, in the order they are given."""
    needed = {
        heading: 1 + max(map(len, (heading, *(row[i] for row in content.rows))))
        for i, heading in enumerate(content.headings)
    }
    left_out: list[str] = []
    for heading in content.optional:
        if sum(needed.values()) - 1 <= width:
            break
        if needed.pop(heading, None):
            left_out.append(heading)
    return left_out


def print_results(console: Console, results: Results, rows: list[Row]) -> None:
    """The summary tables, what was not measured, and how everything was built."""
    content = content_of(results, rows)
    for one in content.tables:
        print_table(console, one)
    for text in not_measured(results.meta):
        _say(console, f"not measured: {text}", "bold red")
    if content.built:
        _say(console, content.built, "dim")
    if content.lead:
        _say(console, content.lead)
        console.print()
