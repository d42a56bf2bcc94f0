# SPDX-License-Identifier: Apache-2.0
"""A table as every report shows it: on a terminal, a page, in Markdown."""

from __future__ import annotations

import math
from dataclasses import dataclass


class Marked(str):
    """A cell that others link to, by its mark: a word of letters, digits and dashes."""

    mark: str

    def __new__(cls, text: str, mark: str = "") -> Marked:
        made = super().__new__(cls, text)
        made.mark = mark
        return made


class Linked(str):
    """A cell that leads to the one with this mark, where that is possible: on a page."""

    to: str

    def __new__(cls, text: str, to: str = "") -> Linked:
        made = super().__new__(cls, text)
        made.to = to
        return made


class Amount(str):
    """A cell that keeps its number, so that a page can draw it: ``43.2 ms`` and 43.2e6. The number
    stays with what is written behind it, such as the mark of the quickest."""

    value: float

    def __new__(cls, text: str, value: float = math.nan) -> Amount:
        made = super().__new__(cls, text)
        made.value = value
        return made

    def __add__(self, text: str, /) -> Amount:
        return Amount(str.__add__(self, text), self.value)


@dataclass(frozen=True)
class Table:
    """Text cells under headings; the first column is left-aligned, the others right. A note that
    begins with names of columns and a colon, ``wire, memory: …``, explains them and no other."""

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

    def explains(self, note: str) -> set[str]:
        """Columns that a note is about; empty where it is about more."""
        names, colon, _ = note.partition(": ")
        found = set(names.split(", "))
        return found if colon and found <= set(self.headings) else set()
