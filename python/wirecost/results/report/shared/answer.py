# SPDX-License-Identifier: Apache-2.0
"""The answer of a command, which a terminal, a page, Markdown and JSON render."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted

if TYPE_CHECKING:
    from wirecost.results.report.shared.figure import Figure

BAD = "bold red"
ALERTS = (BAD, "bold yellow")
"""Styles of lines that a page, too, shows as alerts."""
MOST_ALIKE = 2
"""Lines of a kind that a first screen has."""
MORE_ALIKE = "like it; --all prints them"
"""End of the line that stands for the others of a kind."""
NO_TABLE = Table("", [], [], [])


@dataclass(frozen=True)
class Section:
    """Part of an answer behind its first screen: tables and lines below them.

    ``is_folded``: pages and Markdown show its title alone, until it is opened; ``is_apart``: the
    terminal leaves it out.
    """

    tables: Sequence[Table] = ()
    title: str = ""
    lines: Sequence[str] = ()
    is_folded: bool = False
    is_apart: bool = False


def _no_figures(_on_paper: bool) -> Sequence[Figure]:
    return ()


@dataclass(frozen=True)
class Answer:
    """A sentence, a table, what to do; then everything else.

    The first screen has sentence, table, steps, hints, doubts and where the rest is. ``--all``,
    pages and Markdown have the sections instead of the table, or the table where there are none.
    """

    sentence: str
    table: Table = NO_TABLE
    steps: Sequence[str] = field(default_factory=list)
    """Three at most: what, gain, command. A command behind a line break stays in one piece."""
    hints: Sequence[str] = field(default_factory=list)
    """Steps without a number: what could be done where nothing needs to be."""
    _: KW_ONLY
    doubts: Sequence[tuple[str, str]] = ()
    """Lines below the table, and their styles."""
    warnings: Sequence[str] = ()
    """Lines that are printed before it, on standard error."""
    more: str = ""
    """Last line of the first screen: where the rest is."""
    sections: Sequence[Section] = ()
    heading: str = ""
    """Title of the page."""
    about: Sequence[str] = ()
    """Lines of a page: where and when this was measured."""
    checked: Sequence[tuple[bool, str]] = ()
    """Examinations beside times: whether they hold, and in words."""
    figures: Callable[[bool], Sequence[Figure]] = _no_figures
    """Function that draws the figures, the most important first; True: for a file by itself."""
    written: Sequence[str] = ()
    """Paths of files that the command wrote before."""
    document: Any = None
    """What ``--json`` writes."""
    kept_free: int = 0
    """Lines that follow on the first screen."""
    least_rows: int = 0
    """Rows of the table that the first screen has, and to which steps give way."""
    status: int = 0
    failure: str = ""
    """Reason of the exit status, where an error line says it."""

    def parts(self) -> Sequence[Section]:
        """Return the sections, or one of the first table where there are none."""
        return self.sections or [Section([self.table] if self.table.headings else [])]

    def doubts_apart(self) -> list[tuple[str, str]]:
        """Return the doubts that no table or line of the sections says, too.

        An indented line belongs to the doubt above it.
        """
        said = {
            text
            for section in self.sections
            for lines in (section.lines, *(table.notes for table in section.tables))
            for text in lines
        }
        apart: list[tuple[str, str]] = []
        is_apart = True
        for text, style in self.doubts:
            if not text.startswith(" "):
                is_apart = text not in said and not text.endswith(MORE_ALIKE)
            if is_apart:
                apart.append((text, style))
        return apart

    def alerts(self) -> list[str]:
        """Return what a page and Markdown warn of."""
        return [*self.warnings, *(text for text, style in self.doubts if style in ALERTS)]

    def notes(self) -> list[str]:
        return [text for text, style in self.doubts if style not in ALERTS]


def few(lines: Sequence[str]) -> list[str]:
    """Return as many lines of a kind as a first screen has."""
    if len(lines) <= MOST_ALIKE:
        return list(lines)
    return [*lines[:MOST_ALIKE], f"{counted(len(lines) - MOST_ALIKE, 'more line')} {MORE_ALIKE}"]


def split_step(step: str) -> tuple[str, str]:
    """Return what a step says, and its command; empty where it has none."""
    text, _, command = step.partition("\n")
    return text, command
