# SPDX-License-Identifier: Apache-2.0
"""A block of messages as both ends run it: what is sent and when, and whether it arrived whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from wirecost.measure.bench.engine.timing import spin_until
from wirecost.measure.bench.tensor.arrays import Array, ArraySource
from wirecost.measure.bench.tensor.plugins import FrameworkPlugin, as_array

LEAD_NS = 20_000_000
"""Nanoseconds until the first message is due: the other end is about to be ready."""


@dataclass(frozen=True)
class TensorOrder:
    """Block of messages: content, number and rate. ``rate`` 0 is back to back."""

    plugin: str
    shape: tuple[int, ...]
    dtype: str
    content: str
    device: str
    objects: bool
    """True if the plugin's objects are sent; else the bytes of an array."""
    first: int
    """Number of the block's first message."""
    count: int
    rate: float
    seed: int = 0
    """Seed of what differs from message to message."""


@dataclass(frozen=True)
class TensorTask:
    """Order with what is needed to carry it out.

    ``marked``: messages differ in every page, which takes time between those sent back to back.
    """

    order: TensorOrder
    plugin: FrameworkPlugin
    source: ArraySource
    marked: bool = False

    def schedule(self, number: Callable[[int], int]) -> Iterator[tuple[int, Array, int]]:
        """Yield each message's number, content and the time when it is due, when that comes.

        ``number`` gives a message's number by its place in the block.
        """
        period = round(1e9 / self.order.rate) if self.order.rate else 0
        due = time.monotonic_ns() + LEAD_NS
        for place in range(self.order.count):
            at = number(place)
            array = self.source.array(at, self.marked)
            if not period:
                due = max(due, time.monotonic_ns())
            spin_until(due)
            yield at, array, due
            due += period
        if period:
            # The report after the last message would disturb it.
            spin_until(due)

    @property
    def codec(self) -> str:
        """Return the compression of the objects; empty where there is none."""
        return self.plugin.codec if self.order.objects else ""

    def compressor(self) -> Callable[[Any], Any] | None:
        """Return the function that compresses an object before it is encoded, if there is one."""
        if not self.codec:
            return None
        # A contender's own environment may lack what the library needs.
        from wirecost.messaging.tensor import compress  # noqa: PLC0415

        return partial(compress, how=self.codec)

    def array(self, obj: Any) -> Any:
        """Return a received object as NumPy's array."""
        if self.order.objects:
            return as_array(self.plugin, obj, self.source.shape)
        return self.source.from_bytes(obj)


@dataclass
class TensorSide:
    """Record of one end. ``failure``: why the block counts for nothing."""

    stamps: list[list[int]] = field(default_factory=list)
    failure: str | None = None
    carried: int = 0
    """Bytes of all messages that are in ``stamps``."""

    @property
    def nbytes(self) -> int:
        """Return the bytes of a message, on average: compressed ones differ."""
        return round(self.carried / len(self.stamps)) if self.stamps else 0

    def check(self, task: TensorTask, obj: Any, array: Any, number: int) -> None:
        """Compare a received object, and the array in it, with what was sent under ``number``."""
        if self.failure is None and task.order.objects:
            self.failure = task.plugin.check_kind(obj)
        if self.failure is None:
            tolerance = task.plugin.tolerance if task.codec else 0.0
            self.failure = task.source.difference(array, number, task.marked, tolerance)

    def check_number(self, task: TensorTask, array: Any, number: int) -> None:
        """Check that a message has its own number in its content, which is quick."""
        other = task.source.number_in(array, number)
        if self.failure is None and other != number:
            self.failure = f"message {number} holds message {other}'s content"
