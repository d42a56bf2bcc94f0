# SPDX-License-Identifier: Apache-2.0
"""The first answer of a command: one screen of a terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console

from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table, say
from wirecost.system.counted import counted

SCREEN = 24
"""Lines of a terminal, of 80 columns, that a first answer fits."""


@dataclass(frozen=True)
class FirstAnswer:
    """Answer that fits one screen: a sentence, a table, what to do."""

    answer: str
    table: Table
    steps: list[str] = field(default_factory=list)
    """Three at most: what, gain, command."""


def print_answer(
    console: Console,
    first: FirstAnswer,
    more: str,
    doubts: Sequence[tuple[str, str]] = (),
    kept_free: int = 0,
) -> None:
    """Print an answer, with as much of its table as fits.

    ``more``: where the rest is; ``doubts``: lines below the table, and their styles;
    ``kept_free``: lines that will follow.
    """

    def begin(out: Console) -> None:
        say(out, first.answer)
        out.print()

    def end(out: Console) -> None:
        for number, step in enumerate(first.steps, 1):
            say(out, f"{number}. {step}")
        for text, style in doubts:
            say(out, text, style)
        out.print(more, soft_wrap=True, highlight=False, markup=False)

    # Measured on a console of its own, as the other may be captured.
    trial = Console(file=io.StringIO(), width=console.width)
    begin(trial)
    end(trial)
    begin(console)
    room = SCREEN - kept_free - _lines(trial)
    if first.table.rows:
        print_table(console, _fitting(first.table, console.width, room))
    end(console)


def _fitting(table: Table, width: int, room: int) -> Table:
    """Return as much of a table as fits so many lines: first without notes, then without rows."""

    def fits(part: Table) -> bool:
        trial = Console(file=io.StringIO(), width=width)
        print_table(trial, part)
        return _lines(trial) <= room

    shorter = [replace(table, notes=table.notes[:count]) for count in range(len(table.notes) + 1)]
    for part in reversed(shorter):
        if fits(part):
            return part
    for count in range(len(table.rows) - 1, 0, -1):
        left_out = counted(len(table.rows) - count, "more row")
        part = replace(table, rows=table.rows[:count], notes=[f"… {left_out}"])
        if fits(part):
            return part
    return part


def _lines(trial: Console) -> int:
    """Return how many lines were printed to a string."""
    assert isinstance(trial.file, io.StringIO)
    return trial.file.getvalue().count("\n")
