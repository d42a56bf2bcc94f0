# SPDX-License-Identifier: Apache-2.0
"""When a message is due, and what may disturb it until then."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

SPIN_NS = 300_000
"""Sleeping ends that much before a message is due: a sleep is late by up to that on a quiet
machine."""
GC_POLICY = (
    "garbage collector off while messages are sent; the listener collects between two messages, "
    "outside the times"
)


def spin_until(due_ns: int) -> None:
    """Return when CLOCK_MONOTONIC reaches ``due_ns``: sleep, then spin the last bit."""
    sleep_until(due_ns - SPIN_NS)
    while time.monotonic_ns() < due_ns:
        pass


def sleep_until(due_ns: int) -> None:
    """Return when CLOCK_MONOTONIC reaches ``due_ns``, without spinning."""
    left = due_ns - time.monotonic_ns()
    if left > 0:
        time.sleep(left / 1e9)


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
