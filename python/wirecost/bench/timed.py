# SPDX-License-Identifier: Apache-2.0
"""How long Python code takes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from typing import Any

SCHEDSTAT = Path("/proc/thread-self/schedstat")


def timed(action: Callable[[], Any]) -> int:
    """Nanoseconds an action takes while the cyclic garbage collector stands still, less those in
    which this thread was ready but had no processor: a long action is interrupted by other programs
    more often than the short ones that it consists of."""
    gc.collect()
    gc.disable()
    try:
        before = perf_counter_ns()
        waited = -_waited_ns()
        begin = perf_counter_ns()
        action()
        end = perf_counter_ns()
        waited += _waited_ns()
        around = begin - before + perf_counter_ns() - end
    finally:
        gc.enable()
    # It may have waited while it read how long it had: only the rest was surely the action's.
    return end - begin - max(0, waited - around)


def _waited_ns() -> int:
    """Zero in kernels that do not count it."""
    try:
        return int(SCHEDSTAT.read_bytes().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
