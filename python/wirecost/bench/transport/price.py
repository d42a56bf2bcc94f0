# SPDX-License-Identifier: Apache-2.0
"""What a block cost: processor time, waiting, switches and memory of each part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PARTS = ("publisher", "subscribers", "daemon")


@dataclass
class Part:
    """Sums over its processes; None where the kernel does not say."""

    processes: int = 0
    cpu_ns: int | None = None
    kernel_ns: int | None = None
    wait_ns: int | None = None
    """That threads could run, but waited for a processor."""
    switches: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Price:
    parts: dict[str, Part] = field(default_factory=dict)
    machine_cpu_ns: int | None = None


class Pricing:
    """Begins when it is made."""

    def __init__(self, sender: int, receivers: Sequence[int], servers: Sequence[int]) -> None:
        self._pids = dict(zip(PARTS, ([sender], list(receivers), list(servers)), strict=True))
        self._before = {pid: _read(pid) for pids in self._pids.values() for pid in pids}

    def end(self) -> Price:
        parts = {}
        for name, pids in self._pids.items():
            part = Part(len(pids), 0, None, 0, None, None)
            for pid in pids:
                now, then = _read(pid), self._before[pid]
                part.cpu_ns += now[0] - then[0]
                part.wait_ns += now[1] - then[1]
            if pids:
                parts[name] = part
        return Price(parts)


def _read(pid: int) -> Any:
    total = [0, 0]
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            run, wait, _ = map(int, task.read_text().split())
        except OSError:
            continue
        total[0] += run
        total[1] += wait
    return total
