# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal."""

from __future__ import annotations

import textwrap

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table as RichTable
from rich.text import Text

from wirecost.printable import printable
from wirecost.report.shared.table import Table


def print_table(console: Console, content: Table) -> None:
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
    headings = [printable(heading) for heading in content.headings]
    rows = [[printable(cell) for cell in row] for row in content.rows]
    # Where not all fits, headings, then lists and at last names go over several lines: a cut number
    # says nothing.
    if sum(max(len(headings[i]), _widest(rows, i)) + 1 for i in shown) - 1 > console.width:
        rows = [[row[0], *(cell.replace("; ", ";\n") for cell in row[1:])] for row in rows]
        headings = [_broken(one, _widest(rows, i)) for i, one in enumerate(headings)]
    for i in shown:
        justify: JustifyMethod = "right" if i else "left"
        out.add_column(Text(headings[i]), justify=justify, no_wrap=i > 0, overflow="fold")
    for cells in rows:
        out.add_row(*(Text(cells[i]) for i in shown))
    say(console, content.title, "bold")
    console.print(out)
    for note in content.notes:
        explained = content.explains(note)
        if not explained or not explained <= set(hidden):
            say(console, note, "dim")
    if hidden:
        text = f"{len(hidden)} more columns on a wider terminal: {', '.join(hidden)}."
        say(console, text, "dim")
    console.print()


def say(console: Console, text: str, style: str = "") -> None:
    console.print(printable(text), style=style, highlight=False, markup=False)


def _widest(rows: list[list[str]], column: int) -> int:
    """The longest line of a column's cells."""
    return max((len(line) for row in rows for line in row[column].split("\n")), default=0)


def _broken(heading: str, width: int) -> str:
    """Between words, into lines no longer than its column's cells."""
    return "\n".join(textwrap.wrap(heading, max(width, 1), break_long_words=False))


def _hidden(content: Table, width: int) -> list[str]:
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
