# SPDX-License-Identifier: Apache-2.0
"""What became of the messages of a block, or of several."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Self


@dataclass
class Deliveries:
    """Counts of messages; ``lost`` were sent and did not come, ``reordered`` came after a later
    one."""

    LARGEST: ClassVar[str]
    """The field of which blocks keep the largest; of all others the sum."""

    sent: int = 0
    received: int = 0
    """Different ones."""
    lost: int = 0
    duplicates: int = 0
    reordered: int = 0
    begun_ns: int = 0
    """From when a block's first message was due to the begin of its last, summed."""
    intervals: int = 0

    @property
    def rate(self) -> float | None:
        """Messages per second, as they were begun."""
        return 1e9 * self.intervals / self.begun_ns if self.begun_ns > 0 else None

    def add(self, other: Self) -> None:
        """Add another block's."""
        for one in fields(self):
            both = getattr(self, one.name), getattr(other, one.name)
            setattr(self, one.name, max(both) if one.name == self.LARGEST else sum(both))
