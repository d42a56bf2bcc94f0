# SPDX-License-Identifier: Apache-2.0
"""Cost of a block: processor time, waiting, switches and memory of each part."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from wirecost.observe.usage import machine
from wirecost.observe.usage.meter import Meter, Usage
from wirecost.system.closing import Closing

MIXED = "mixed"
"""Source of processor time over blocks of which some had a control group, others had not."""
PARTS = ("publisher", "subscribers", "daemon")


@dataclass
class PricedPart:
    """Sums over a part's processes and, but for memory and processes, over blocks.

    ``wait_ns``: time that threads could run, but waited for a processor; None where the kernel does
    not say.
    """

    processes: int = 0
    cpu_ns: int = 0
    kernel_ns: int = 0
    wait_ns: int | None = 0
    voluntary: int = 0
    switches: int = 0
    memory_bytes: int = 0
    """Most that its processes had at once each; shared memory is counted for each."""
    source: str = ""
    """Source of the processor time: ``cgroup``, ``clocks``, or ``mixed``."""

    def add(self, other: PricedPart) -> None:
        for name in ("cpu_ns", "kernel_ns", "voluntary", "switches"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        waits = self.wait_ns, other.wait_ns
        self.wait_ns = None if None in waits else sum(wait or 0 for wait in waits)
        self.processes = max(self.processes, other.processes)
        self.memory_bytes = max(self.memory_bytes, other.memory_bytes)
        # One of no process yet has none.
        sources = {self.source, other.source} - {""}
        self.source = sources.pop() if len(sources) == 1 else MIXED if sources else ""


@dataclass
class Price:
    """Cost of all parts; ``kernel_ns``: work of ``ksoftirqd``, which belongs to no process."""

    parts: dict[str, PricedPart] = field(default_factory=dict)
    kernel_ns: int = 0

    def add(self, other: Price) -> None:
        self.kernel_ns += other.kernel_ns
        for name, part in other.parts.items():
            self.parts.setdefault(name, PricedPart()).add(part)


class Pricing(Closing):
    """Meters of a block, which begin when this is constructed."""

    def __init__(self, sender: int, receivers: Sequence[int], servers: Sequence[int]) -> None:
        pids = dict(zip(PARTS, ([sender], list(receivers), list(servers)), strict=True))
        self._stack = ExitStack()
        self._meters = {
            name: self._stack.enter_context(Meter(some)) for name, some in pids.items() if some
        }
        self._before = machine.read()

    def end(self) -> Price:
        """Return the price until now."""
        parts = {name: _part(meter.read()) for name, meter in self._meters.items()}
        price = Price(parts, (machine.read() - self._before).ksoftirqd_ns)
        self.close()
        return price

    def close(self) -> None:
        """End it. A second call does nothing."""
        self._stack.close()


def _part(usage: Usage) -> PricedPart:
    return PricedPart(
        usage.processes,
        usage.cpu_ns,
        usage.system_ns,
        usage.wait_ns,
        usage.voluntary,
        usage.voluntary + usage.involuntary,
        usage.memory.peak_rss_bytes,
        usage.source,
    )
