# SPDX-License-Identifier: Apache-2.0
"""Memory of processes, and of files in shared memory, in bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SHARED = Path("/dev/shm")
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
            None if None in pss else sum(one or 0 for one in pss),
        )


def read(process: int, proc: Path = Path("/proc")) -> Memory | None:
    """None for a process that is no more."""
    folder = proc / str(process)
    try:
        status = _sizes(folder / "status")
    except OSError:
        return None
    pss = None
    with suppress(OSError):
        pss = _sizes(folder / "smaps_rollup").get("Pss")
    return Memory(status.get("VmRSS", 0), status.get("VmHWM", 0), pss)


def held(processes: Iterable[int], proc: Path = Path("/proc")) -> int:
    """What processes hold together, each shared page once where that can be read; those that have
    ended hold nothing."""
    found = [one for process in processes if (one := read(process, proc))]
    return sum(one.rss_bytes if one.pss_bytes is None else one.pss_bytes for one in found)


def reset_peak(process: int, proc: Path = Path("/proc")) -> bool:
    """Lets ``peak_rss_bytes`` begin here; False where that is not permitted."""
    try:
        (proc / str(process) / "clear_refs").write_text(RESET_PEAK)
    except OSError:
        return False
    return True


def shared_files(folder: Path = SHARED) -> int:
    """What files in shared memory take, all users' of this machine that can be seen."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(parent, name).lstat().st_blocks * 512
    return total


def _sizes(path: Path) -> dict[str, int]:
    """Lines such as ``VmRSS:  10 kB``."""
    found = {}
    for line in path.read_text().splitlines():
        name, _, value = line.partition(":")
        words = value.split()
        if len(words) == 2 and words[1] == "kB":
            found[name] = int(words[0]) * 1024
    return found
