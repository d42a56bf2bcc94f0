# SPDX-License-Identifier: Apache-2.0
"""Offset of another machine's CLOCK_MONOTONIC from this one's, and the bound of its error.

A reading is the exchange with the shortest round trip of many. The other machine looked at its
clock at some moment of that trip, however its two directions differ: half the trip bounds the
error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirecost.system.waiting import Deadline

PINGS = 64
LEAST_PINGS = 8
READING_S = 0.25
"""Seconds after which the least number is enough: far machines answer slowly."""

Ping = Callable[[], tuple[int, int, int]]
"""Function that returns when it sent, the other clock's reading, and when that came, in ns."""


@dataclass(frozen=True)
class ClockReading:
    """Other clock minus this one in nanoseconds, and the most that this is wrong by."""

    offset_ns: int
    bound_ns: int


def read(ping: Ping) -> ClockReading:
    """Return the best of many exchanges."""
    end = Deadline(READING_S)
    best: ClockReading | None = None
    for number in range(PINGS):
        if number >= LEAST_PINGS and end.passed:
            break
        sent_at, other, answered_at = ping()
        # A bound rounded down would not be one.
        reading = ClockReading(
            other - (sent_at + answered_at) // 2, (answered_at - sent_at + 1) // 2 + 1
        )
        if best is None or reading.bound_ns < best.bound_ns:
            best = reading
    assert best is not None
    return best


def between(before: ClockReading, after: ClockReading) -> ClockReading:
    """Return a reading for all moments between two readings.

    Clocks that drift apart do so by what the readings differ, and the middle is off by half of it
    at most.
    """
    drift = abs(after.offset_ns - before.offset_ns)
    return ClockReading(
        (before.offset_ns + after.offset_ns) // 2,
        max(before.bound_ns, after.bound_ns) + drift // 2 + 1,
    )
