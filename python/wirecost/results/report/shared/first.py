# SPDX-License-Identifier: Apache-2.0
"""The first answer of a command: one screen of a terminal."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table, say
from wirecost.system.counted import counted
from wirecost.system.printable import printable
from wirecost.system.terminal import Console

SCREEN = 24
"""Lines of a terminal, of 80 columns, that a first answer fits."""


@dataclass(frozen=True)
class FirstAnswer:
    """Answer that fits one screen: a sentence, a table, what to do."""

    answer: str
    table: Table
    steps: list[str] = field(default_factory=list)
    """Three at most: what, gain, command. A command behind a line break stays in one piece."""
    hints: list[str] = field(default_factory=list)
    """Steps without a number: what could be done where nothing needs to be."""


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
            _say_step(out, f"{number}. {step}")
        for hint in first.hints:
            _say_step(out, hint)
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


def _say_step(out: Console, step: str) -> None:
    """Print text and command in one line, else each in its own: the command can be copied."""
    text, _, command = step.partition("\n")
    line = f"{text} {command}" if command else text
    if not command or len(line) <= out.width:
        say(out, line)
        return
    say(out, text)
    out.print(printable(command), soft_wrap=True, highlight=False, markup=False)


def _fitting(table: Table, width: int, room: int) -> Table:
    """Return as much of a table as fits so many lines: first without notes, then without rows."""

    def fits(part: Table) -> bool:
        trial = Console(file=io.StringIO(), width=width)
        print_table(trial, part)
        return _lines(trial) <= room

    shorter = [replace(table, notes=table.notes[:count]) for count in range(len(table.notes) + 1)]
    most = max(room, 1)  # a row takes a line at least
    for part in reversed(shorter) if len(table.rows) <= most else ():
        if fits(part):
            return part
    for count in range(min(len(table.rows) - 1, most), 0, -1):
        left_out = counted(len(table.rows) - count, "more row")
        part = replace(table, rows=table.rows[:count], notes=[f"… {left_out}"])
        if fits(part):
            return part
    return part


def _lines(trial: Console) -> int:
    """Return how many lines a terminal has of what was printed to a string."""
    assert isinstance(trial.file, io.StringIO)
    lines = trial.file.getvalue().splitlines()
    return sum(max(1, math.ceil(len(line) / trial.width)) for line in lines)
