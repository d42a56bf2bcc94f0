# SPDX-License-Identifier: Apache-2.0
"""Trailer of each frame in its message: who published it, its number, and where it starts."""

from __future__ import annotations

import secrets
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from wirecost.system.errors import UserError

MAGIC = 0x31544357  # "WCT1"
TRAILER = struct.Struct("<QQII")
"""Stream, number, offset of the frame in the message, magic: 24 bytes at the message's end."""


def new_stream() -> int:
    """Return a number for a publisher that no other has; a restarted publisher is a new stream."""
    return secrets.randbits(64)


@dataclass
class Count:
    """Messages that a subscriber saw of one or more streams."""

    received: int = 0
    lost: int = 0
    """Messages that did not come although a later one did, or although their publisher has ended
    and nothing waits any more."""
    duplicates: int = 0
    reordered: int = 0
    """Messages that came after a later one."""
    outstanding: int = 0
    """Messages sent after the last one received: in transit, waiting, or lost. Known of
    publishers of this user on this machine, else 0."""


class Publishing(Protocol):
    """Progress of a publisher."""

    @property
    def sent(self) -> int: ...
    @property
    def ended(self) -> bool: ...


class StreamCounter:
    """Counter of losses by the trailers, and by what is known of how far their publishers are.

    A stream begins with the first message seen of it.
    """

    MOST_STREAMS = 1024
    WINDOW = 1024
    """Messages back within which one that comes late is distinguished from a duplicate."""

    def __init__(self, follow: Callable[[int], Publishing | None] = lambda _: None) -> None:
        """Count streams; ``follow`` looks a stream's publisher up, which must be there or None."""
        self.count = Count()
        self._follow = follow
        self._next: dict[int, int] = {}
        self._missing: dict[int, set[int]] = {}
        self._publishers: dict[int, Publishing] = {}

    def total(self, drained: bool) -> Count:
        """Return what is known now. ``drained``: nothing waits to be received."""
        total = replace(self.count)
        for stream, publisher in self._publishers.items():
            # First whether it has ended, as it may send between two looks.
            ended = drained and publisher.ended
            behind = max(0, publisher.sent - self._next[stream])
            if ended:
                total.lost += behind
            else:
                total.outstanding += behind
        return total

    def add(self, stream: int, number: int) -> None:
        """Count one message."""
        count = self.count
        expected = self._next.get(stream)
        if expected == number:
            self._next[stream] = number + 1
            count.received += 1
            return
        if expected is None:
            if len(self._next) >= self.MOST_STREAMS:
                oldest = next(iter(self._next))
                del self._next[oldest]
                self._missing.pop(oldest, None)
                self._publishers.pop(oldest, None)
            self._next[stream] = number + 1
            if (publisher := self._follow(stream)) is not None:
                self._publishers[stream] = publisher
            count.received += 1
        elif number > expected:
            count.received += 1
            count.lost += number - expected
            missing = self._missing.setdefault(stream, set())
            missing.update(range(max(expected, number - self.WINDOW), number))
            if len(missing) > self.WINDOW:
                missing -= {lost for lost in missing if lost < number - self.WINDOW}
            self._next[stream] = number + 1
        elif number in (missing := self._missing.get(stream, set())):
            missing.discard(number)
            count.received += 1
            count.lost -= 1
            count.reordered += 1
        else:
            count.duplicates += 1


def split(message: Any) -> tuple[int, int, memoryview]:
    """Return stream, number and the frame's bytes of a received message.

    Raises UserError for bytes that no publisher of wirecost sent.
    """
    view = memoryview(message)
    if view.format != "B" or view.ndim != 1:
        view = view.cast("B")
    end = len(view) - TRAILER.size
    if end >= 0:
        stream, number, start, magic = TRAILER.unpack_from(view, end)
        if magic == MAGIC and start <= end:
            return stream, number, view[start:end]
    raise UserError(
        f"a message of {len(view)} bytes is none of wirecost's: publish with wirecost.publish, or"
        " read the topic with the middleware's own tools"
    )
