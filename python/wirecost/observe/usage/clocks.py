# SPDX-License-Identifier: Apache-2.0
"""Processor clocks of other processes (clock_getcpuclockid(3)), in nanoseconds.

They count all threads of a process, also those that have ended.
"""

from __future__ import annotations

import time

PROFILE, USER, SCHEDULED = 0, 1, 2
"""Kinds of a process's clock, linux/posix-timers.h. The first two are sampled by the kernel's tick,
the third is exact."""


def read(process: int, kind: int) -> int | None:
    """Read a clock; None for a process that is no more."""
    try:
        return time.clock_gettime_ns((~process << 3) | kind)
    except OSError:
        return None


def scheduled(process: int) -> int | None:
    """Return the time of user and kernel together."""
    return read(process, SCHEDULED)


def sampled(process: int) -> tuple[int, int] | None:
    """Return the times in user mode and in the kernel, by the tick: good for their proportion."""
    user, both = read(process, USER), read(process, PROFILE)
    return None if user is None or both is None else (user, max(0, both - user))
