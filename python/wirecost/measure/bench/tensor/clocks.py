# SPDX-License-Identifier: Apache-2.0
"""How far another machine's CLOCK_MONOTONIC is ahead of this one's, and how well that is known.

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
"""After that many seconds the least number is enough: far machines answer slowly."""

Ping = Callable[[], tuple[int, int, int]]
"""Sent at, the other clock's reading, answered at; nanoseconds."""


@dataclass(frozen=True)
class ClockReading:
    """Nanoseconds: the other clock minus this one, and the most that this is wrong by."""

    offset_ns: int
    bound_ns: int


def read(ping: Ping) -> ClockReading:
    """Return the best of many exchanges."""
    end = Deadline(READING_S)
    best: ClockReading | None = None
    for number in range(PINGS):
        if number >= LEAST_PINGS and end.passed:
            break
        asked, there, answered = ping()
        # A bound rounded down would not be one.
        found = ClockReading(there - (asked + answered) // 2, (answered - asked + 1) // 2 + 1)
        if best is None or found.bound_ns < best.bound_ns:
            best = found
    assert best is not None
    return best


def between(before: ClockReading, after: ClockReading) -> ClockReading:
    """For all moments between two readings: clocks that drift apart do so by what the readings
    differ, and the middle is off by half of it at most."""
    drift = abs(after.offset_ns - before.offset_ns)
    return ClockReading(
        (before.offset_ns + after.offset_ns) // 2,
        max(before.bound_ns, after.bound_ns) + drift // 2 + 1,
    )
