# SPDX-License-Identifier: Apache-2.0
"""Messages in blocks: many in one piece of memory, for who reads them all at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from wirecost.data.recordings.connection import RecordedMessage, RecordingPart
from wirecost.system.errors import UserError

BLOCK_BYTES = 4 << 20
"""Bytes of messages that are gathered to a block."""
BLOCK_MESSAGES = 1 << 14
EARLIEST, LATEST = -(1 << 63), (1 << 63) - 1
"""Nanoseconds of the first and last time that a block can have."""


class Window(NamedTuple):
    """Times in nanoseconds of the messages that are read: from ``begin`` on, before ``end``."""

    begin: int = EARLIEST
    end: int = LATEST


ALL_TIMES = Window()


class MessageBlock(NamedTuple):
    """Messages of a topic in a piece of memory: where each begins, its bytes, when it was recorded.

    ``topic``: the number of the topic among those that are read.
    """

    topic: int
    memory: npt.NDArray[np.uint8]
    begins: npt.NDArray[np.uint64]
    sizes: npt.NDArray[np.uint64]
    times: npt.NDArray[np.int64]


@runtime_checkable
class BlockPart(Protocol):
    """A file whose messages lie in blocks already."""

    def blocks(self, topics: Sequence[Collection[int]], window: Window) -> Iterator[MessageBlock]:
        """Yield the messages of these connections of each topic in the order of the file."""
        ...


def blocks(
    part: RecordingPart, topics: Sequence[Collection[int]], window: Window
) -> Iterator[MessageBlock]:
    """Yield the messages of connections of a file in its order. Raises UserError."""
    if isinstance(part, BlockPart):
        yield from part.blocks(topics, window)
        return
    topic_of = {number: topic for topic, numbers in enumerate(topics) for number in numbers}
    gathered = _Gathered()
    fault: UserError | None = None
    messages = part.each()
    while fault is None:
        try:
            message = next(messages, None)
        except UserError as error:
            fault = error  # what came before it is read as well
            break
        if message is None:
            break
        topic = topic_of.get(message.connection)
        if topic is not None and window.begin <= message.time_ns < window.end:
            gathered.add(topic, message)
            if gathered.size >= BLOCK_BYTES or len(gathered.data) >= BLOCK_MESSAGES:
                yield from gathered.blocks()
                gathered = _Gathered()
    yield from gathered.blocks()
    if fault is not None:
        raise fault


class _Gathered:
    """Messages of topics, in pieces of memory of their own."""

    def __init__(self) -> None:
        self.data: list[bytes | memoryview] = []
        self.size = 0
        self._topics: list[int] = []
        self._times: list[int] = []

    def add(self, topic: int, message: RecordedMessage) -> None:
        self.data.append(message.data)
        self.size += len(message.data)
        self._topics.append(topic)
        self._times.append(message.time_ns)

    def blocks(self) -> Iterator[MessageBlock]:
        """Yield a block of each topic, all in one piece of memory."""
        sizes = np.fromiter(map(len, self.data), np.uint64, len(self.data))
        begins = (np.cumsum(sizes) - sizes).astype(np.uint64)
        memory = np.frombuffer(b"".join(self.data), np.uint8)
        topics, times = np.array(self._topics), clipped(self._times)
        for topic in sorted(set(self._topics)):
            mine = topics == topic
            yield MessageBlock(topic, memory, begins[mine], sizes[mine], times[mine])


def clipped(times: list[int]) -> npt.NDArray[np.int64]:
    """Return times as a column has them; those behind the year 2262 become the last it can have."""
    return np.array([min(max(time, EARLIEST), LATEST) for time in times], np.int64)
