# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from wirecost.cli import verbosity
from wirecost.results.report.shared.terminal import say_whole
from wirecost.system.foreign import printable
from wirecost.system.terminal import Console

LINE_EVERY_S, MOST_EVERY_S = 5.0, 60.0
"""Seconds between the first lines of progress, and most: each wait is longer than the last."""
ETA_OF_S = 60.0
"""Seconds whose steps the estimate of the remaining time follows from."""

Advance = Callable[[int, int, str], None]


def say_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error, one line each."""
    console = Console(stderr=True)
    for note in notes:
        say_whole(console, f"wirecost: {note}")


@contextmanager
def progress() -> Iterator[Advance]:
    """Yield a function that shows steps done, steps in all, and the present work.

    With no steps in all, the text is a remark: lines that stay on a terminal.
    """
    console = Console(stderr=True)
    if verbosity.quiet:
        yield lambda _done, _total, _text: None
        return
    if not console.is_terminal:
        yield _lines(console)
        return
    from rich.progress import (  # slow to import
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    label = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    columns = (
        TaskProgressColumn(),
        BarColumn(bar_width=24),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False, table_column=label),
    )
    with Progress(
        *columns, console=console, transient=True, expand=True, speed_estimate_period=ETA_OF_S
    ) as bar:
        task = bar.add_task("starting", total=None)

        def advance(done: int, total: int, text: str) -> None:
            if total == 0:
                _remark(console, text)
                return
            bar.update(task, completed=done, total=total, description=printable(text))

        yield advance


def _remark(console: Console, text: str) -> None:
    for line in text.splitlines():
        say_whole(console, line)


def _lines(console: Console) -> Advance:
    last, wait_s = 0.0, LINE_EVERY_S

    def advance(done: int, total: int, text: str) -> None:
        nonlocal last, wait_s
        if total == 0:  # remarks are for who looks on
            return
        now = time.monotonic()
        if now - last >= wait_s:
            wait_s = min(1.5 * wait_s, MOST_EVERY_S) if last else wait_s
            last = now
            share = 100 * done // max(total, 1)
            say_whole(console, f"{share:3d} %  {text}")

    return advance
