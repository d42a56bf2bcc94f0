# SPDX-License-Identifier: Apache-2.0
"""What a block cost: processor time, waiting, switches and memory of each part and the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from wirecost.usage import machine
from wirecost.usage.meter import Meter, Usage

PARTS = ("publisher", "subscribers", "daemon")


@dataclass
class Part:
    """Sums over its processes; None where the kernel does not say."""

    processes: int = 0
    cpu_ns: int | None = None
    kernel_ns: int | None = None
    """Of ``cpu_ns``, what was spent in system calls."""
    wait_ns: int | None = None
    """That threads could run, but waited for a processor."""
    switches: int | None = None
    memory_bytes: int | None = None
    """The most that its processes had at once each; what they share is counted for each."""
    source: str = ""
    """Of the processor time: ``cgroup`` or ``clocks``."""


@dataclass(frozen=True)
class Price:
    parts: dict[str, Part] = field(default_factory=dict)
    machine_cpu_ns: int | None = None
    """All processors', whoever used them."""
    kernel_cpu_ns: int | None = None
    """Of the kernel's own threads for soft interrupts, which are no part's."""
    interrupts_ns: int | None = None
    """Of all interrupts, as the tick samples them; part of it is in the parts' own time."""


class Pricing:
    """Begins when it is made."""

    def __init__(self, sender: int, receivers: Sequence[int], servers: Sequence[int]) -> None:
        processes = zip(PARTS, ([sender], receivers, servers), strict=True)
        self._meters = {name: Meter(pids) for name, pids in processes if pids}
        self._before = machine.read()

    def end(self) -> Price:
        passed = machine.read() - self._before
        with ExitStack() as stack:
            for meter in self._meters.values():
                stack.enter_context(meter)
            used = {name: meter.read() for name, meter in self._meters.items()}
        return Price(
            {name: _part(one) for name, one in used.items()},
            passed.busy_ns,
            passed.ksoftirqd_ns,
            passed.interrupts_ns,
        )


def _part(used: Usage) -> Part:
    return Part(
        used.processes,
        used.cpu_ns,
        used.system_ns,
        used.wait_ns,
        used.voluntary + used.involuntary,
        used.memory.peak_rss_bytes,
        used.source,
    )
