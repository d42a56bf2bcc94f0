# SPDX-License-Identifier: Apache-2.0
"""Tables and lines on a terminal: what is printed is text, never Rich's markup."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich import box
from rich.console import JustifyMethod
from rich.table import Table as RichTable
from rich.text import Text

from wirecost.results.report.shared.table import Table, Toned
from wirecost.system.counted import counted
from wirecost.system.foreign import printable, without_middle
from wirecost.system.terminal import Console

MOST_LINES = 2
"""Most lines of a name in its column."""
LEAST_NAME = 24
"""Characters of a cut name that are shown however narrow the terminal is."""
LEAST_WORDS = 20
"""Columns of a terminal that a column of words has at least."""


def print_table(console: Console, content: Table, wider: str = "") -> None:
    """Print all of a table as it is.

    Names come from programs and files, whatever they look like to Rich and to a terminal.
    ``wider``: a command that shows the columns for which there is no room.
    """
    content = _with_cut_names(content, console.width)
    hidden = _hidden(content, console.width)
    visible = [i for i, heading in enumerate(content.headings) if heading not in hidden]
    headings = [printable(heading) for heading in content.headings]
    rows = [[_shown_cell(cell) for cell in row] for row in content.rows]
    if content.title:
        say(console, content.title, "bold")
    if content.texts:
        texts = [at for at, i in enumerate(visible) if content.headings[i] in content.texts]
        console.print(
            _table([headings[i] for i in visible], [[row[i] for i in visible] for row in rows],
                   texts=texts)
        )  # fmt: skip
        _print_notes(console, content, hidden, wider)
        return
    # Where not all fits, headings, then lists and at last names go over several lines: a cut number
    # says nothing.
    if sum(max(len(headings[i]), _widest(rows, i)) + 1 for i in visible) - 1 > console.width:
        rows = [[row[0], *(cell.replace("; ", ";\n") for cell in row[1:])] for row in rows]
        headings = [_broken(heading, _widest(rows, i)) for i, heading in enumerate(headings)]
    for part in _parts([headings[i] for i in visible], [[row[i] for i in visible] for row in rows],
                       console.width):  # fmt: skip
        console.print(part, soft_wrap=isinstance(part, Text))
    _print_notes(console, content, hidden, wider)


def table_width(content: Table) -> int:
    """Return how wide a terminal has to be for all columns."""
    columns = zip(content.headings, *content.rows, strict=True)
    return sum(1 + max(map(len, column)) for column in columns) - 1


def laid_out(content: Table, width: int) -> Text:
    """Return a table, for a display that is renewed."""
    trial = Console(file=io.StringIO(), width=width)
    print_table(trial, content)
    assert isinstance(trial.file, io.StringIO)
    return Text(trial.file.getvalue().rstrip())


def _print_notes(console: Console, content: Table, hidden: list[str], wider: str) -> None:
    for note in content.notes:
        explained = content.explains(note)
        if not explained or not explained <= set(hidden):
            say(console, note, "dim")
    if hidden:
        where = f"on a wider terminal, or with {wider}" if wider else "on a wider terminal"
        text = f"{counted(len(hidden), 'more column')} {where}: {', '.join(hidden)}."
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
    texts: Sequence[int] = (),
) -> RichTable:
    """Lay a part out. ``widths``: of columns, so that parts of a table stand under each other.

    ``texts``: numbers of the columns of words.
    """
    out = RichTable(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0, show_header=has_head
    )
    for i, heading in enumerate(headings):
        is_text = i in texts
        justify: JustifyMethod = "right" if i and not is_text else "left"
        width = None if widths is None else widths[i]
        # A name keeps its column beside words.
        no_wrap = (i > 0 and not is_text) or (bool(texts) and not is_text)
        out.add_column(
            Text(heading), justify=justify, no_wrap=no_wrap, overflow="fold", width=width,
            min_width=LEAST_WORDS if is_text and i == len(headings) - 1 else None,
        )  # fmt: skip
    for cells in rows:
        out.add_row(*(Text(cell, cell.style if isinstance(cell, Toned) else "") for cell in cells))
    return out


def say(console: Console, text: str, style: str = "") -> None:
    """Print a line, broken between words where the terminal is narrower."""
    console.print(Text(printable(text), style))


def say_whole(console: Console, text: str) -> None:
    """Print a line that stays one: a path or a command, which can be copied."""
    console.print(Text(printable(text)), soft_wrap=True)


def _shown_cell(cell: str) -> str:
    return Toned(printable(cell), cell.style) if isinstance(cell, Toned) else printable(cell)


def _with_cut_names(content: Table, width: int) -> Table:
    """Return the table with long names shortened so that the columns that stay have room."""
    if not content.cut or not content.rows:
        return content
    fixed = [i for i, name in enumerate(content.headings) if i and name not in content.optional]
    rows = [content.headings, *content.rows]
    most = max(LEAST_NAME, width - sum(1 + max(len(row[i]) for row in rows) for i in fixed))
    shorten = _without_front if content.cut == "front" else without_middle
    return replace(content, rows=[[shorten(row[0], most), *row[1:]] for row in content.rows])


def _without_front(name: str, most: int) -> str:
    return name if len(name) <= most else "…" + name[1 - most :]


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
