# SPDX-License-Identifier: Apache-2.0
"""Fate of the messages of a block, or of several."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Self


@dataclass
class Deliveries:
    """Counts of messages.

    ``lost`` were sent and did not come, ``reordered`` came after a later one.
    """

    LARGEST: ClassVar[str]
    """Name of the field whose largest value is kept; the others are summed."""

    sent: int = 0
    received: int = 0
    """Number of different messages."""
    lost: int = 0
    duplicates: int = 0
    reordered: int = 0
    begun_ns: int = 0
    """Nanoseconds from when a block's first message was due to the start of its last, summed."""
    intervals: int = 0

    @property
    def rate(self) -> float | None:
        """Return messages per second, as they were begun."""
        return 1e9 * self.intervals / self.begun_ns if self.begun_ns > 0 else None

    def add(self, other: Self) -> None:
        """Add the counts of another block."""
        for name in (field.name for field in fields(self)):
            both = getattr(self, name), getattr(other, name)
            setattr(self, name, max(both) if name == self.LARGEST else sum(both))
