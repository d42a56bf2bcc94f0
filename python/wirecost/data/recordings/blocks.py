# SPDX-License-Identifier: Apache-2.0
"""Messages in blocks: many in one piece of memory, for who reads them all at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

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


class MessageRun(NamedTuple):
    """Messages of a file in its order; ``connections``: the number of each one's connection."""

    memory: npt.NDArray[np.uint8]
    begins: npt.NDArray[np.uint64]
    sizes: npt.NDArray[np.uint64]
    times: npt.NDArray[np.int64]
    connections: npt.NDArray[Any]

    def data(self, number: int) -> bytes:
        begin = int(self.begins[number])
        return self.memory[begin : begin + int(self.sizes[number])].tobytes()

    def only(self, chosen: npt.NDArray[np.bool_]) -> MessageRun:
        """Return the run with these messages alone."""
        return MessageRun(
            self.memory,
            self.begins[chosen],
            self.sizes[chosen],
            self.times[chosen],
            self.connections[chosen],
        )


@runtime_checkable
class BlockPart(Protocol):
    """A file whose messages lie in blocks already."""

    def blocks(self, topics: Sequence[Collection[int]], window: Window) -> Iterator[MessageBlock]:
        """Yield the messages of these connections of each topic in the order of the file."""
        ...

    def runs(self) -> Iterator[MessageRun]:
        """Yield all messages in the order of the file."""
        ...


def blocks(
    part: RecordingPart, topics: Sequence[Collection[int]], window: Window
) -> Iterator[MessageBlock]:
    """Yield the messages of connections of a file in its order. Raises UserError."""
    if isinstance(part, BlockPart):
        yield from part.blocks(topics, window)
        return
    topic_of = {number: topic for topic, numbers in enumerate(topics) for number in numbers}
    wanted = (
        message
        for message in part.each()
        if message.connection in topic_of and window.begin <= message.time_ns < window.end
    )
    for run in _gathered(wanted):
        numbers = np.array([topic_of[number] for number in run.connections.tolist()])
        for topic in np.unique(numbers).tolist():
            yield MessageBlock(topic, *run.only(numbers == topic)[:4])


def runs(part: RecordingPart) -> Iterator[MessageRun]:
    """Yield all messages of a file in its order. Raises UserError."""
    return part.runs() if isinstance(part, BlockPart) else _gathered(part.each())


def _gathered(messages: Iterator[RecordedMessage]) -> Iterator[MessageRun]:
    """Yield messages, many of them in a piece of memory each."""
    fault: UserError | None = None
    gathered: list[RecordedMessage] = []
    size = 0
    while True:
        try:
            message = next(messages, None)
        except UserError as error:
            fault, message = error, None  # what came before it is read as well
        if message is not None:
            gathered.append(message)
            size += len(message.data)
        if message is None or size >= BLOCK_BYTES or len(gathered) >= BLOCK_MESSAGES:
            if gathered:
                yield _run(gathered)
            gathered, size = [], 0
        if fault is not None:
            raise fault
        if message is None:
            return


def _run(messages: Sequence[RecordedMessage]) -> MessageRun:
    data = [message.data for message in messages]
    sizes = np.fromiter(map(len, data), np.uint64, len(data))
    return MessageRun(
        np.frombuffer(b"".join(data), np.uint8),
        (np.cumsum(sizes) - sizes).astype(np.uint64),
        sizes,
        clipped([message.time_ns for message in messages]),
        np.array([message.connection for message in messages]),
    )


def clipped(times: list[int]) -> npt.NDArray[np.int64]:
    """Return times as a column has them; those behind the year 2262 become the last it can have."""
    return np.array([min(max(time, EARLIEST), LATEST) for time in times], np.int64)
