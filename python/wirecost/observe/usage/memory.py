# SPDX-License-Identifier: Apache-2.0
"""Memory of processes, in bytes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

RESET_PEAK = "5"
"""For /proc/PID/clear_refs, proc(5)."""


@dataclass(frozen=True)
class Memory:
    """Sums over processes; what they share is counted once for each, but not in ``pss_bytes``."""

    rss_bytes: int = 0
    peak_rss_bytes: int = 0
    """The most since the last ``reset_peak``, or since the process began."""
    pss_bytes: int | None = None
    """With each shared page divided by those who share it; None where it cannot be read."""

    def __add__(self, other: Memory) -> Memory:
        pss = (self.pss_bytes, other.pss_bytes)
        return Memory(
            self.rss_bytes + other.rss_bytes,
            self.peak_rss_bytes + other.peak_rss_bytes,
            None if None in pss else sum(size or 0 for size in pss),
        )


def read(process: int, proc: Path = Path("/proc")) -> Memory | None:
    """Read a process's memory; None for a process that is no more."""
    folder = proc / str(process)
    try:
        status = _sizes(folder / "status")
    except OSError:
        return None
    pss = None
    with suppress(OSError):
        pss = _sizes(folder / "smaps_rollup").get("Pss")
    return Memory(status.get("VmRSS", 0), status.get("VmHWM", 0), pss)


def occupied(process: int, proc: Path = Path("/proc")) -> int | None:
    """Return the bytes that a process has in memory and swapped out; None where it is no more."""
    try:
        sizes = _sizes(proc / str(process) / "status")
    except OSError:
        return None
    return sizes.get("VmRSS", 0) + sizes.get("VmSwap", 0)


def held(processes: Iterable[int], proc: Path = Path("/proc")) -> int:
    """Return the bytes that processes hold together, each shared page once where that can be read.

    Processes that have ended hold nothing.
    """
    memories = [memory for process in processes if (memory := read(process, proc))]
    return sum(
        memory.rss_bytes if memory.pss_bytes is None else memory.pss_bytes for memory in memories
    )


def reset_peak(process: int, proc: Path = Path("/proc")) -> bool:
    """Lets ``peak_rss_bytes`` begin here; False where that is not permitted."""
    try:
        (proc / str(process) / "clear_refs").write_text(RESET_PEAK)
    except OSError:
        return False
    return True


def _sizes(path: Path) -> dict[str, int]:
    """Return the sizes in bytes of lines such as ``VmRSS:  10 kB``."""
    sizes = {}
    for line in path.read_text().splitlines():
        name, _, value = line.partition(":")
        words = value.split()
        if len(words) == 2 and words[1] == "kB":
            sizes[name] = int(words[0]) * 1024
    return sizes
