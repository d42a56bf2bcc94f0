# SPDX-License-Identifier: Apache-2.0
"""Waiting and context switches of a process's threads, by the kernel's accounts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

VOLUNTARY, INVOLUNTARY = "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"


@dataclass(frozen=True)
class Thread:
    wait_ns: int | None
    """It could run, but another one had its processor."""
    voluntary: int
    involuntary: int


def read(process: int, proc: Path = Path("/proc")) -> dict[int, Thread]:
    """Return the threads that live, by their numbers."""
    threads = {}
    with suppress(OSError):
        for task in (proc / str(process) / "task").iterdir():
            with suppress(OSError):
                threads[int(task.name)] = _read(task)
    return threads


def _read(task: Path) -> Thread:
    counts = {VOLUNTARY: 0, INVOLUNTARY: 0}
    for line in (task / "status").read_text().splitlines():
        name, _, value = line.partition("\t")
        if name in counts:
            counts[name] = int(value)
    wait = None
    with suppress(OSError):  # not in every kernel
        wait = int((task / "schedstat").read_text().split()[1])
    return Thread(wait, counts[VOLUNTARY], counts[INVOLUNTARY])


def since(before: dict[int, Thread], after: dict[int, Thread]) -> Thread:
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
