# SPDX-License-Identifier: Apache-2.0
"""Waiting for a moment, keeping the garbage collector away, and timing Python code."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns

SPIN_NS = 300_000
"""Nanoseconds before a message is due at which sleeping ends: a sleep is late by up to that."""
GC_POLICY = (
    "garbage collector off while messages are sent; the listener collects between two messages, "
    "outside the times"
)
SCHEDSTAT = Path("/proc/thread-self/schedstat")


def spin_until(due_ns: int) -> None:
    """Return when CLOCK_MONOTONIC reaches ``due_ns``: sleep, then spin the last bit."""
    sleep_until(due_ns - SPIN_NS)
    while time.monotonic_ns() < due_ns:
        pass


def sleep_until(due_ns: int) -> None:
    """Return when CLOCK_MONOTONIC reaches ``due_ns``, without spinning."""
    remaining = due_ns - time.monotonic_ns()
    if remaining > 0:
        time.sleep(remaining / 1e9)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep Python's garbage collector from what is alive now; it collects when asked only."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def timed(action: Callable[[], object]) -> int:
    """Return the nanoseconds an action takes while the cyclic garbage collector stands still.

    Those in which this thread was ready but had no processor do not count: a long action is
    interrupted by other programs more often than the short ones that it consists of.
    """
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
    return max(0, end - begin - max(0, waited - around))


def _waited_ns() -> int:
    """Return the nanoseconds this thread waited for a processor; 0 where no kernel counts them."""
    try:
        return int(SCHEDSTAT.read_bytes().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
