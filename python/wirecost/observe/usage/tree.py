# SPDX-License-Identifier: Apache-2.0
"""Processes that others have started."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def with_descendants(processes: Iterable[int], proc: Path = Path("/proc")) -> list[int]:
    """Return the processes, and all that they have started and that live, each once."""
    living: dict[int, None] = {}
    unvisited = list(processes)
    while unvisited:
        process = unvisited.pop(0)
        if process not in living and (proc / str(process)).exists():
            living[process] = None
            unvisited += _children(proc / str(process))
    return list(living)


def ended_children_ticks(process: int, proc: Path = Path("/proc")) -> int:
    """Processor time of children that have ended and were waited for, in clock ticks."""
    with suppress(OSError):
        words = (proc / str(process) / "stat").read_text().rpartition(")")[2].split()
        return int(words[13]) + int(words[14])
    return 0


def _children(process: Path) -> list[int]:
    children: list[int] = []
    with suppress(OSError):
        for task in (process / "task").iterdir():
            with suppress(OSError):
                children += map(int, (task / "children").read_text().split())
    return children
