# SPDX-License-Identifier: Apache-2.0
"""Counts of the kernel for each thread of a process, from /proc: nothing is put into it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirecost.system.errors import UserError

MOST_THREADS = 4096


@dataclass(frozen=True)
class Counted:
    """Counts of one thread since it began.

    Times are nanoseconds: on a core, and ready but waiting for one. ``slices``: how often it got
    a core.
    """

    name: str
    running_ns: int
    waiting_ns: int
    slices: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int


COUNTS = tuple(name for name in Counted.__dataclass_fields__ if name != "name")


@dataclass(frozen=True)
class Sample:
    """``threads``: by their numbers. ``time_ns``: CLOCK_MONOTONIC."""

    time_ns: int
    threads: dict[int, Counted]


def samples(process: int, seconds: float, every_s: float, proc: Path) -> Iterator[Sample]:
    """Yield a sample each ``every_s`` until ``seconds`` have passed or the process ends.

    Raises:
        UserError: there is no such process.
    """
    if not (proc / str(process)).is_dir():
        raise UserError(f"{process}: no such process; give the number of one that runs")
    begun = time.monotonic()
    for number in range(int(seconds / every_s) + 1):
        time.sleep(max(0.0, begun + number * every_s - time.monotonic()))
        sample = _sample(proc / str(process))
        if not sample.threads:
            return
        yield sample


def _sample(process: Path) -> Sample:
    threads = {}
    try:
        tasks = sorted((process / "task").iterdir())[:MOST_THREADS]
    except OSError:
        tasks = []
    for task in tasks:
        try:
            threads[int(task.name)] = _counted(task)
        except (OSError, ValueError, IndexError):
            continue  # the thread ended meanwhile
    return Sample(time.monotonic_ns(), threads)


def _counted(task: Path) -> Counted:
    name, _, fields = (task / "stat").read_text(errors="replace").rpartition(")")
    # Numbered as in proc(5), which counts the number and the name: minflt is 10, majflt is 12.
    numbers = fields.split()
    running, waiting, slices = (int(word) for word in (task / "schedstat").read_text().split())
    switches = {
        key: int(value)
        for key, _, value in (
            line.partition(":")
            for line in (task / "status").read_text(errors="replace").split("\n")
        )
        if key.endswith("ctxt_switches")
    }
    return Counted(
        name=name.partition("(")[2],
        running_ns=running,
        waiting_ns=waiting,
        slices=slices,
        minor_faults=int(numbers[10 - 3]),
        major_faults=int(numbers[12 - 3]),
        voluntary_switches=switches["voluntary_ctxt_switches"],
        involuntary_switches=switches["nonvoluntary_ctxt_switches"],
    )


def mapped(process: int, proc: Path) -> set[str]:
    """Return the names of the files that a process has mapped; none where that may not be read."""
    try:
        lines = (proc / str(process) / "maps").read_text(errors="replace").split("\n")
    except OSError:
        return set()
    return {line.rpartition("/")[2] for line in lines if "/" in line}
