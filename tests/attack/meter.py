# SPDX-License-Identifier: Apache-2.0
"""Cost of one call: CPU time of all threads, and memory at its peak, native memory included."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

_PEAK = re.compile(rb"VmHWM:\s*(\d+) kB")
_FORGET_PEAK = b"5"
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
_GIVEN_BACK_ABOVE = 1 << 20
_YARDSTICK = 300_000
"""Nanoseconds that ``slowness`` takes on the machine that limits are for."""


@dataclass(frozen=True)
class Cost:
    """Cost of a call.

    ``nbytes``: beyond what the process had before. ``nanoseconds``: of CPU time, which a busy
    machine makes longer, but not by what others run."""

    nbytes: int
    nanoseconds: int


@dataclass(frozen=True)
class Limit:
    """Limit on what an input may cost, by its size in bytes."""

    bytes_per_byte: float
    free_bytes: int
    nanoseconds_per_byte: float
    free_nanoseconds: int

    def excess(self, cost: Cost, size: int) -> str:
        """Return what is too much, in words; nothing where all is well."""
        most = int(self.bytes_per_byte * size) + self.free_bytes
        if cost.nbytes > most:
            return f"takes {cost.nbytes:,} bytes for {size:,}, may take {most:,}"
        longest = int(self.nanoseconds_per_byte * size) + self.free_nanoseconds
        if cost.nanoseconds > longest:
            return f"takes {cost.nanoseconds:,} ns for {size:,} bytes, may take {longest:,}"
        return ""


def slowness() -> float:
    """Return how much longer this machine takes now than the one that the limits are for.

    The other machine has nothing else to do; the factor is at least 1. A core that is shared
    counts as CPU time what others delay."""
    started = time.process_time_ns()
    ratios = {}
    for number in range(2500):
        ratios[str(number)] = (number, [number])
    return max(1.0, (time.process_time_ns() - started) / _YARDSTICK)


def prepare() -> None:
    """Prepare a process that is there to be measured.

    Memory goes back to the system as soon as it is free, or what a call takes again would not
    show; what is there now is no garbage."""
    libc = ctypes.CDLL(None)
    libc.mallopt(_MMAP_THRESHOLD, _GIVEN_BACK_ABOVE)
    libc.mallopt(_TRIM_THRESHOLD, _GIVEN_BACK_ABOVE)
    gc.collect()
    gc.freeze()
    libc.malloc_trim(0)


class Meter:
    """For the process that makes it."""

    def __init__(self) -> None:
        self._status = os.open("/proc/self/status", os.O_RDONLY)
        self._forget = os.open("/proc/self/clear_refs", os.O_WRONLY)

    def measured(self, call: Callable[[], object]) -> tuple[Cost, Exception | None]:
        """Return a call's cost and what it raised; its result is dropped."""
        os.pwrite(self._forget, _FORGET_PEAK, 0)
        before = self._peak()
        raised = None
        started = time.process_time_ns()
        try:
            call()
        except Exception as error:
            # Its frames hold what the call made.
            raised = error.with_traceback(None)
        nanoseconds = time.process_time_ns() - started
        return Cost(self._peak() - before, nanoseconds), raised

    def _peak(self) -> int:
        """Return the most memory at once since the peak was forgotten, in bytes."""
        peak = _PEAK.search(os.pread(self._status, 1 << 16, 0))
        if peak is None:
            raise AssertionError("/proc/self/status has no peak")
        return int(peak[1]) << 10
