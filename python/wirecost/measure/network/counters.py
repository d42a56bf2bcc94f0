# SPDX-License-Identifier: Apache-2.0
"""Bytes and packets that passed an interface, as the kernel counts.

They include Ethernet's header of 14 bytes, except on loopback, where packets have none and hold up
to 64 kB.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

COUNTERS = Path("/proc/thread-self/net/dev")
"""Counters of the thread's own network namespace."""
LOOPBACK = "lo"


@dataclass(frozen=True)
class Traffic:
    received_bytes: int = 0
    received_packets: int = 0
    received_dropped: int = 0
    sent_bytes: int = 0
    sent_packets: int = 0
    sent_dropped: int = 0

    def __sub__(self, before: Traffic) -> Traffic:
        return Traffic(
            *(getattr(self, name) - getattr(before, name) for name in self.__dataclass_fields__)
        )


def read() -> dict[str, Traffic]:
    """Read the counters of each interface; on loopback each byte is sent and received."""
    return parse(COUNTERS.read_text())


def loopback() -> Traffic:
    """Read loopback's counters, of all processes: measure on an idle machine only."""
    return read()[LOOPBACK]


def parse(text: str) -> dict[str, Traffic]:
    """Parse ``/proc/net/dev``, proc(5)."""
    traffic = {}
    for line in text.splitlines()[2:]:
        name, _, numbers = line.partition(":")
        column = [int(count) for count in numbers.split()]
        traffic[name.strip()] = Traffic(
            column[0], column[1], column[3], column[8], column[9], column[11]
        )
    return traffic
