# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich import box
from rich.console import JustifyMethod
from rich.table import Table as RichTable
from rich.text import Text

from wirecost.results.report.shared.table import Table
from wirecost.system.printable import printable
from wirecost.system.terminal import Console

MOST_LINES = 2
"""Most lines of a name in its column."""


def print_table(console: Console, content: Table, wider: str = "") -> None:
    """Print all of a table as it is.

    Names come from programs and files, whatever they look like to Rich and to a terminal.
    ``wider``: a command that shows the columns for which there is no room.
    """
    hidden = _hidden(content, console.width)
    visible = [i for i, heading in enumerate(content.headings) if heading not in hidden]
    headings = [printable(heading) for heading in content.headings]
    rows = [[printable(cell) for cell in row] for row in content.rows]
    # Where not all fits, headings, then lists and at last names go over several lines: a cut number
    # says nothing.
    if sum(max(len(headings[i]), _widest(rows, i)) + 1 for i in visible) - 1 > console.width:
        rows = [[row[0], *(cell.replace("; ", ";\n") for cell in row[1:])] for row in rows]
        headings = [_broken(heading, _widest(rows, i)) for i, heading in enumerate(headings)]
    say(console, content.title, "bold")
    for part in _parts([headings[i] for i in visible], [[row[i] for i in visible] for row in rows],
                       console.width):  # fmt: skip
        console.print(part, highlight=False, soft_wrap=isinstance(part, Text))
    for note in content.notes:
        explained = content.explains(note)
        if not explained or not explained <= set(hidden):
            say(console, note, "dim")
    if hidden:
        where = f"on a wider terminal, or with {wider}" if wider else "on a wider terminal"
        text = f"{len(hidden)} more columns {where}: {', '.join(hidden)}."
        say(console, text, "dim")
    console.print()


def _parts(headings: list[str], rows: list[list[str]], width: int) -> Iterator[RichTable | Text]:
    """Yield the table, in parts where a name would go over many lines in its column.

    Such a name has lines of its own, as wide as the terminal, above its numbers.
    """
    widths = [max(_widest([headings], i), _widest(rows, i)) for i in range(len(headings))]
    room = width - sum(widths[1:]) - len(widths) + 1
    long = [_is_long(row[0], max(room, 1), width) for row in rows]
    names = [row[0] for row, is_long in zip(rows, long, strict=True) if not is_long]
    if not any(long) or room < len(headings[0]):
        yield _table(headings, rows)
        return
    widths[0] = min(room, max(map(len, (headings[0], *names))))
    part: list[list[str]] = []
    is_first = True
    for row, is_long in zip(rows, long, strict=True):
        if is_long:
            if part or is_first:
                yield _table(headings, part, widths, is_first)
            yield Text("\n".join(_lines(row[0], width)))
            part, is_first = [["", *row[1:]]], False
        else:
            part.append(row)
    yield _table(headings, part, widths, is_first)


def _is_long(name: str, room: int, width: int) -> bool:
    """Say whether a name has, in ``room``, more than a few lines, or a word that would be cut.

    The word need not be cut on a terminal of ``width``.
    """
    is_cut = max(map(len, name.split()), default=0) > room and len(name) <= width
    return is_cut or len(_lines(name, room)) > MOST_LINES


def _lines(name: str, width: int) -> list[str]:
    return textwrap.wrap(name, width, break_on_hyphens=False)


def _table(
    headings: list[str],
    rows: list[list[str]],
    widths: list[int] | None = None,
    has_head: bool = True,
) -> RichTable:
    """Lay a part out. ``widths``: of columns, so that parts of a table stand under each other."""
    out = RichTable(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0, show_header=has_head
    )
    for i, heading in enumerate(headings):
        justify: JustifyMethod = "right" if i else "left"
        width = None if widths is None else widths[i]
        out.add_column(Text(heading), justify=justify, no_wrap=i > 0, overflow="fold", width=width)
    for cells in rows:
        out.add_row(*map(Text, cells))
    return out


def say(console: Console, text: str, style: str = "") -> None:
    console.print(printable(text), style=style, highlight=False, markup=False)


def _widest(rows: list[list[str]], column: int) -> int:
    """Return the longest line of a column's cells."""
    return max((len(line) for row in rows for line in row[column].split("\n")), default=0)


def _broken(heading: str, width: int) -> str:
    """Break between words, into lines no longer than its column's cells."""
    return "\n".join(textwrap.wrap(heading, max(width, 1), break_long_words=False))


def _hidden(content: Table, width: int) -> list[str]:
    """Return the optional columns to leave out so that the others fit, in their order."""
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
