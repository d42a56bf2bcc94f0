# SPDX-License-Identifier: Apache-2.0
"""Threads and descendants of processes, by the kernel's accounts."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.system.foreign import shown

VOLUNTARY, INVOLUNTARY = "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"
NAME = "Name:"


@dataclass(frozen=True)
class Thread:
    """Counts of one thread since it began."""

    wait_ns: int | None
    """Time that it could run, but another one had its processor."""
    voluntary: int
    involuntary: int
    run_ns: int | None = None
    """Time that it had a processor; None where the kernel does not say."""
    name: str = ""


def read_threads(process: int, proc: Path = Path("/proc")) -> dict[int, Thread]:
    """Return the threads that live, by their numbers."""
    threads = {}
    with suppress(OSError):
        for task in (proc / str(process) / "task").iterdir():
            with suppress(OSError):
                threads[int(task.name)] = _thread(task)
    return threads


def _thread(task: Path) -> Thread:
    fields = {VOLUNTARY: "0", INVOLUNTARY: "0", NAME: ""}
    for line in (task / "status").read_text(errors="replace").splitlines():
        label, _, value = line.partition("\t")
        if label in fields:
            fields[label] = value
    run = wait = None
    with suppress(OSError):  # not in every kernel
        run, wait = map(int, (task / "schedstat").read_text().split()[:2])
    counts = int(fields[VOLUNTARY]), int(fields[INVOLUNTARY])
    return Thread(wait, *counts, run, shown(fields[NAME]))


def threads_since(before: dict[int, Thread], after: dict[int, Thread]) -> Thread:
    """Sum over threads what was added in between.

    A thread that began since counts from its begin; one that ended is missing.
    """
    waits: list[int] = []
    voluntary = involuntary = 0
    for number, now in after.items():
        then = before.get(number, Thread(0, 0, 0))
        if now.wait_ns is not None and then.wait_ns is not None:
            waits.append(now.wait_ns - then.wait_ns)
        voluntary += now.voluntary - then.voluntary
        involuntary += now.involuntary - then.involuntary
    return Thread(sum(waits) if waits else None, voluntary, involuntary)


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
    """Return the processor time of children that have ended and were waited for, in clock ticks."""
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
