# SPDX-License-Identifier: Apache-2.0
"""An answer on a terminal: its first screen, or all of it."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace

from wirecost.results.report.shared.answer import Answer, split_step
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table, say, say_whole
from wirecost.system.counted import counted
from wirecost.system.terminal import Console

INDENTED = "  "
"""Start of a line that is a command or code: it stays in one piece."""
SCREEN = 24
"""Lines of a terminal, of 80 columns, that a first answer fits."""


def print_answer(console: Console, answer: Answer) -> None:
    """Print the first screen, with as much of the table as fits."""
    whole, table = answer.table, _table_with_room(answer, console.width)
    least = min(answer.least_rows, len(whole.rows))
    while len(answer.steps) > 1 and len(table.rows) < least:
        answer = replace(answer, steps=answer.steps[:-1])
        table = _table_with_room(answer, console.width)
    _begin(console, answer)
    if table.rows:
        print_table(console, table)
    _end(console, answer)


def _table_with_room(answer: Answer, width: int) -> Table:
    """Return as much of the table as fits with the lines around it."""
    # Measured on a console of its own, as the other may be captured.
    trial = Console(file=io.StringIO(), width=width)
    _begin(trial, answer)
    _end(trial, answer)
    room = SCREEN - answer.kept_free - _lines(trial)
    return (
        _fitting(answer.table, answer.sentence, width, room) if answer.table.rows else answer.table
    )


def print_whole(console: Console, answer: Answer, wider: str = "") -> None:
    """Print every table and line. ``wider``: a command that shows columns without room here."""
    _begin(console, answer)
    for section in answer.parts():
        if section.is_apart:
            continue
        if section.title and not section.tables:
            say(console, section.title, "bold")
        for table in section.tables:
            if table.rows:
                print_table(console, table, wider)
        for line in section.lines:
            (say_whole if line.startswith(INDENTED) else say)(console, line)
        if section.lines:
            console.print()
    for holds, text in answer.checked:
        say(console, f"{text}.", "" if holds else "bold red")
    _end(console, replace(answer, doubts=answer.doubts_apart(), more=""))


def _begin(console: Console, answer: Answer) -> None:
    if answer.sentence:
        say(console, answer.sentence)
        if answer.table.rows or answer.sections:
            console.print()


def _end(console: Console, answer: Answer) -> None:
    for number, step in enumerate(answer.steps, 1):
        _say_step(console, f"{number}. {step}")
    for hint in answer.hints:
        _say_step(console, hint)
    for text, style in answer.doubts:
        say(console, text, style)
    if answer.more:
        say_whole(console, answer.more)


def _say_step(console: Console, step: str) -> None:
    """Print text and command in one line, else each in its own: the command can be copied."""
    text, command = split_step(step)
    if command and text[-1:].isalnum():
        text += ":"
    line = f"{text} {command}" if command else text
    if not command or len(line) <= console.width:
        say(console, line)
        return
    say(console, text)
    say_whole(console, command)


def _fitting(table: Table, sentence: str, width: int, room: int) -> Table:
    """Return as much of a table as fits so many lines: first without notes, then without rows.

    Rows that the sentence names go last: a comparison is of what can be seen.
    """

    def fits(part: Table) -> bool:
        trial = Console(file=io.StringIO(), width=width)
        print_table(trial, part)
        return _lines(trial) <= room

    shorter = [replace(table, notes=table.notes[:count]) for count in range(len(table.notes) + 1)]
    most = max(room, 1)  # a row takes a line at least
    for part in reversed(shorter) if len(table.rows) <= most else ():
        if fits(part):
            return part
    by_need = sorted(table.rows, key=lambda row: not _names(sentence, row[0]))
    for count in range(min(len(table.rows) - 1, most), 0, -1):
        left_out = counted(len(table.rows) - count, "more row")
        shown_rows = by_need[:count]
        rows = [row for row in table.rows if any(row is other for other in shown_rows)]
        part = replace(table, rows=rows, notes=[f"… {left_out}"])
        if fits(part):
            return part
    return part


def _names(sentence: str, name: str) -> bool:
    """Return whether a sentence names a row, by its first cell."""
    whole = rf"(?<![\w-]){re.escape(name.strip())}(?![\w-])"
    return bool(name.strip() and re.search(whole, sentence))


def _lines(trial: Console) -> int:
    """Return how many lines a terminal has of what was printed to a string."""
    assert isinstance(trial.file, io.StringIO)
    lines = trial.file.getvalue().splitlines()
    return sum(max(1, math.ceil(len(line) / trial.width)) for line in lines)
