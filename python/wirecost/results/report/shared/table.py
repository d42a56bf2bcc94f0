# SPDX-License-Identifier: Apache-2.0
"""A table as every report shows it: on a terminal, a page, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")
C = TypeVar("C")


class Marked(str):
    """A cell that others link to, by its mark: a word of letters, digits and dashes."""

    mark: str

    def __new__(cls, text: str, mark: str = "") -> Marked:
        cell = super().__new__(cls, text)
        cell.mark = mark
        return cell


class Linked(str):
    """A cell that leads to the one with this mark, where that is possible: on a page."""

    to: str

    def __new__(cls, text: str, to: str = "") -> Linked:
        cell = super().__new__(cls, text)
        cell.to = to
        return cell


class Amount(str):
    """A cell that keeps its number, so that a page can draw it: ``43.2 ms`` and 43.2e6.

    The number stays with what is written behind it, such as the mark of the quickest.
    """

    value: float

    def __new__(cls, text: str, value: float = math.nan) -> Amount:
        cell = super().__new__(cls, text)
        cell.value = value
        return cell

    def __add__(self, text: str, /) -> Amount:
        return Amount(str.__add__(self, text), self.value)


class Toned(str):
    """A cell with a style of its own on a terminal, such as ``bold red``."""

    style: str

    def __new__(cls, text: str, style: str = "") -> Toned:
        cell = super().__new__(cls, text)
        cell.style = style
        return cell


@dataclass(frozen=True)
class Column(Generic[R]):
    """A column as it is declared: its title, and the cell that it has in each row."""

    title: str
    cell: Callable[[R], str]
    bar: bool | str = False
    """True, or a word, if a page draws bars in its cells; columns with the same word share a
    scale."""
    optional: int = 0
    """Rank among the columns that a narrow terminal leaves out, 1 first; 0: it is always there."""
    shown: bool = True
    is_text: bool = False
    """True if its cells are words, which are left-aligned and broken into lines."""


@dataclass(frozen=True)
class Table:
    """Text cells under headings.

    The first column is left-aligned, the others right unless they are of words. A note that begins
    with names of columns and a colon, ``wire, memory: …``, explains them and no other.
    """

    title: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str]
    optional: tuple[str, ...] = ()
    """Headings of the columns that a narrow terminal may leave out, the first ones first."""
    bars: tuple[str | tuple[str, ...], ...] = ()
    """Headings of the columns whose cells have bars on a page. Each column has its own scale, the
    columns of a tuple have one: parts of a total, or the same quantity of several contenders. Only
    cells that are an ``Amount`` have a bar."""
    texts: tuple[str, ...] = ()
    """Headings of the columns of words."""
    cut: str = ""
    """Part that a long name in the first column loses on a terminal without room for the other
    columns: front or middle. Empty: none, it has lines of its own."""

    @classmethod
    def of(
        cls,
        title: str,
        rows: Iterable[R],
        columns: Iterable[Column[R]],
        notes: Iterable[str] = (),
        cut: str = "",
    ) -> Table:
        """Make a table with a row of text for each of ``rows``."""
        visible = [column for column in columns if column.shown]
        scales: dict[str, list[str]] = {}
        for column in visible:
            if column.bar:
                scale = column.title if column.bar is True else column.bar
                scales.setdefault(scale, []).append(column.title)
        optional = sorted(
            (column for column in visible if column.optional), key=lambda column: column.optional
        )
        return cls(
            title,
            [column.title for column in visible],
            [[column.cell(row) for column in visible] for row in rows],
            list(notes),
            tuple(column.title for column in optional),
            tuple(map(tuple, scales.values())),
            tuple(column.title for column in visible if column.is_text),
            cut,
        )

    @classmethod
    def matrix(
        cls,
        title: str,
        corner: str,
        rows: Iterable[tuple[str, R]],
        columns: Iterable[tuple[str, C]],
        cell: Callable[[R, C], str],
        notes: Iterable[str] = (),
        optional: Iterable[str] = (),
        bars: tuple[str | tuple[str, ...], ...] = (),
    ) -> Table:
        """Make a table with a cell for each pair of a row and a column, which have names."""
        headed = list(columns)
        body = [[name, *(cell(row, column) for _, column in headed)] for name, row in rows]
        headings = [corner, *(name for name, _ in headed)]
        return cls(title, headings, body, list(notes), tuple(optional), bars)

    def explains(self, note: str) -> set[str]:
        """Return the columns that a note is about; none where it is about more."""
        names, colon, _ = note.partition(": ")
        columns = set(names.split(", "))
        return columns if colon and columns <= set(self.headings) else set()


def present(*tables: Table | None) -> list[Table]:
    """Return the tables that there are."""
    return [table for table in tables if table is not None]


def named(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return rows or columns of a matrix that are their names, each once."""
    return [(name, name) for name in dict.fromkeys(names)]


def with_bars(table: Table) -> list[list[tuple[str, int | None]]]:
    """Return the table's rows, beside each cell the length of its bar in percent of the longest.

    Scales are linear and begin at 0, so a length means what its number does, and small numbers
    beside large ones have none that can be seen. None: the cell has no bar, because its column has
    none (``Table.bars``), its number is negative or not finite, or all numbers are the same.
    """
    lengths: dict[tuple[int, int], int] = {}
    for group in table.bars:
        headings = {group} if isinstance(group, str) else set(group)
        # The first column has names, whatever its heading is.
        columns = [i for i, name in enumerate(table.headings) if i and name in headings]
        lengths |= _lengths(table.rows, columns)
    return [
        [(cell, lengths.get((row, column))) for column, cell in enumerate(cells)]
        for row, cells in enumerate(table.rows)
    ]


def _lengths(rows: Sequence[Sequence[str]], columns: Iterable[int]) -> dict[tuple[int, int], int]:
    """Return lengths by row and column; none where there is nothing to compare."""
    values = {
        (row, column): value
        for row, cells in enumerate(rows)
        for column in columns
        if column < len(cells) and (value := _value(cells[column])) is not None
    }
    if len(set(values.values())) < 2:
        return {}
    most = max(values.values())
    return {place: round(100 * (value / most)) for place, value in values.items()}


def _value(cell: str) -> float | None:
    if not isinstance(cell, Amount):
        return None
    try:
        value = float(cell.value)
    except OverflowError:  # an integer of a file
        return None
    return value if math.isfinite(value) and value >= 0 else None
