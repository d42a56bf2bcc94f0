# SPDX-License-Identifier: Apache-2.0
"""Processor time that is nobody's: the kernel's own work, which it does for all processes.

What a process sends on loopback or veth is mostly delivered within its own system call, and is in
its own time. The rest runs in ``ksoftirqd``, whose clock is exact, or interrupts whoever runs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wirecost.observe.usage import clocks

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_COLUMNS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True)
class Machine:
    """Nanoseconds of all processors."""

    busy_ns: int = 0
    """Neither idle nor another virtual machine's; in steps of a clock tick."""
    interrupts_ns: int = 0
    """Within interrupts, soft ones too, as sampled by the tick. Where the kernel does not account
    for them apart, that time is also in the interrupted processes' own."""
    ksoftirqd_ns: int = 0
    """Time of the kernel's threads for soft interrupts; in nobody else's time."""

    def __sub__(self, before: Machine) -> Machine:
        return Machine(
            *(getattr(self, name) - getattr(before, name) for name in self.__dataclass_fields__)
        )


def read(proc: Path = Path("/proc")) -> Machine:
    words = (proc / "stat").read_text().splitlines()[0].split()[1:]
    ticks = dict(zip(_COLUMNS, map(int, words), strict=False))
    interrupts = ticks["irq"] + ticks["softirq"]
    busy = ticks["user"] + ticks["nice"] + ticks["system"] + interrupts
    threads = sum(clocks.scheduled(thread) or 0 for thread in _soft_interrupt_threads())
    return Machine(busy * TICK_NS, interrupts * TICK_NS, threads)


@cache
def _soft_interrupt_threads() -> tuple[int, ...]:
    """Return one thread per processor, each as long-lived as the kernel; none in containers."""
    threads = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                name = Path(entry.path, "comm").read_text()
            except OSError:
                continue
            if name.startswith("ksoftirqd/"):
                threads.append(int(entry.name))
    return tuple(threads)
