# SPDX-License-Identifier: Apache-2.0
"""Meter of what some processes and all that they start use over an interval."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from wirecost.observe.usage import clocks, memory
from wirecost.observe.usage.group import Group
from wirecost.observe.usage.machine import TICK_NS
from wirecost.observe.usage.memory import Memory
from wirecost.observe.usage.processes import (
    Thread,
    ended_children_ticks,
    read_threads,
    threads_since,
    with_descendants,
)
from wirecost.system.closing import Closing

CGROUP, CLOCKS = "cgroup", "clocks"


@dataclass(frozen=True)
class Usage:
    """Sums over processes. ``user_ns`` and ``system_ns`` add up to ``cpu_ns``."""

    processes: int
    """Number of processes that lived at the end."""
    cpu_ns: int
    user_ns: int
    system_ns: int
    wait_ns: int | None
    """Time that threads could run, but had no processor; None where the kernel does not say."""
    voluntary: int
    """Context switches of threads that live at the end."""
    involuntary: int
    memory: Memory
    source: str
    """Source of the processor time: ``cgroup`` or ``clocks``."""


@dataclass(frozen=True)
class _Process:
    cpu_ns: int
    sampled: tuple[int, int]
    children_ticks: int
    threads: dict[int, Thread]


class Meter(Closing):
    """Begins when it is made."""

    def __init__(self, processes: Sequence[int], use_group: bool = True) -> None:
        """Begin to measure. ``use_group``: a control group, where one can be made."""
        self._roots = list(processes)
        living = with_descendants(self._roots)
        self._group = _group(living) if use_group else None
        for process in living:
            memory.reset_peak(process)
        self._before = _read(living)
        self._spent = self._group.read() if self._group else None

    def read(self) -> Usage:
        """Return the usage from the begin up to now."""
        spent = self._group.read() if self._group else None
        after = _read(with_descendants([*self._roots, *self._before]))
        nothing = _Process(0, (0, 0), 0, {})
        user = system = voluntary = involuntary = 0
        cpu = self._ended_children(after)
        waits: list[int] = []
        for number, now in after.items():
            then = self._before.get(number, nothing)
            cpu += now.cpu_ns - then.cpu_ns
            user += now.sampled[0] - then.sampled[0]
            system += now.sampled[1] - then.sampled[1]
            since = threads_since(then.threads, now.threads)
            voluntary += since.voluntary
            involuntary += since.involuntary
            waits += [] if since.wait_ns is None else [since.wait_ns]
        if spent and self._spent:
            cpu = spent.cpu_ns - self._spent.cpu_ns
            user, system = (
                spent.user_ns - self._spent.user_ns,
                spent.system_ns - self._spent.system_ns,
            )
        in_kernel = round(cpu * system / (user + system)) if user + system else 0
        sizes = [size for number in after if (size := memory.read(number))]
        return Usage(
            len(after), cpu, cpu - in_kernel, in_kernel, sum(waits) if waits else None,
            voluntary, involuntary, sum(sizes, Memory(pss_bytes=0)),
            CGROUP if self._group else CLOCKS,
        )  # fmt: skip

    def _ended_children(self, after: dict[int, _Process]) -> int:
        """Return the time of ended children since the begin, by ticks: they leave no more."""
        ticks = sum(
            now.children_ticks - before.children_ticks
            for number, now in after.items()
            if (before := self._before.get(number))
        )
        counted_ns = sum(
            process.cpu_ns for number, process in self._before.items() if number not in after
        )
        return max(0, ticks * TICK_NS - counted_ns)

    def close(self) -> None:
        """Remove the group; its processes are left as they were."""
        if self._group is not None:
            self._group.close()

    def end(self) -> Usage:
        """Return the last reading, and close."""
        try:
            return self.read()
        finally:
            self.close()


def _group(processes: Sequence[int]) -> Group | None:
    with suppress(OSError):
        group = Group()
        try:
            group.add(processes)
        except OSError:
            group.close()
            return None
        return group
    return None


def _read(processes: Sequence[int]) -> dict[int, _Process]:
    """Read processes; those that have ended meanwhile are left out."""
    living = {}
    for process in processes:
        cpu, sampled = clocks.scheduled(process), clocks.sampled(process)
        if cpu is not None and sampled is not None:
            living[process] = _Process(
                cpu, sampled, ended_children_ticks(process), read_threads(process)
            )
    return living
