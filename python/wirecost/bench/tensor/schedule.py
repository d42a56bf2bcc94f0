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


def wait_until(due_ns: int) -> None:
    """Returns when CLOCK_MONOTONIC reaches ``due``: sleeps, then spins the last bit."""
    left = due_ns - time.monotonic_ns() - SPIN_NS
    if left > 0:
        time.sleep(left / 1e9)
    while time.monotonic_ns() < due_ns:
        pass


@contextmanager
def undisturbed() -> Iterator[None]:
    """What is alive now is not looked at again, and nothing is collected unless asked for."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
