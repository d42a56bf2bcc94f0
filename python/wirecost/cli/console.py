# SPDX-License-Identifier: Apache-2.0
"""How progress is shown: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

LINE_EVERY_S = 5.0

Advance = Callable[[int, int, str], None]


@contextmanager
def progress(console: Console) -> Iterator[Advance]:
    """Yields a function of steps done, steps in all, and what runs now."""
    if not console.is_terminal:
        yield _lines(console)
        return
    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, text: bar.update(
            task, completed=done, total=total, description=text
        )


def _lines(console: Console) -> Advance:
    last = 0.0

    def advance(done: int, total: int, text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= LINE_EVERY_S:
            last = now
            console.print(f"{100 * done // max(total, 1):3d} %  {text}", highlight=False)

    return advance
