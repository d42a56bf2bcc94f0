# SPDX-License-Identifier: Apache-2.0
"""Messages in blocks: many in one piece of memory, for who reads them all at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from wirecost.data.recordings.connection import RecordingPart
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
    """Messages in a piece of memory: where each begins, its bytes, and when it was recorded."""

    memory: npt.NDArray[np.uint8]
    begins: npt.NDArray[np.uint64]
    sizes: npt.NDArray[np.uint64]
    times: npt.NDArray[np.int64]


@runtime_checkable
class BlockPart(Protocol):
    """A file whose messages lie in blocks already."""

    def blocks(self, numbers: Collection[int], window: Window) -> Iterator[MessageBlock]:
        """Yield the messages of these connections in the order of the file."""
        ...


def blocks(part: RecordingPart, numbers: Collection[int], window: Window) -> Iterator[MessageBlock]:
    """Yield the messages of connections of a file in its order. Raises UserError."""
    if isinstance(part, BlockPart):
        yield from part.blocks(numbers, window)
        return
    data: list[bytes | memoryview] = []
    times: list[int] = []
    size = 0
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
        if message.connection in numbers and window.begin <= message.time_ns < window.end:
            data.append(message.data)
            times.append(message.time_ns)
            size += len(message.data)
            if size >= BLOCK_BYTES or len(data) >= BLOCK_MESSAGES:
                yield _joined(data, times)
                data, times, size = [], [], 0
    if data:
        yield _joined(data, times)
    if fault is not None:
        raise fault


def _joined(data: list[bytes | memoryview], times: list[int]) -> MessageBlock:
    sizes = np.fromiter(map(len, data), np.uint64, len(data))
    begins = np.zeros(len(data), np.uint64)
    np.cumsum(sizes[:-1], out=begins[1:])
    whole = b"".join(data)
    return MessageBlock(np.frombuffer(whole, np.uint8), begins, sizes, clipped(times))


def clipped(times: list[int] | npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return times as a column has them; those behind the year 2262 become the last it can have."""
    if isinstance(times, list):
        return np.array([min(max(time, EARLIEST), LATEST) for time in times], np.int64)
    return np.minimum(times, np.uint64(LATEST)).astype(np.int64)
