# SPDX-License-Identifier: Apache-2.0
"""Messages of an MCAP file: by the index, or all in the order of the file."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Container, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from mcap.opcode import Opcode

from wirecost._core import message_heads
from wirecost.data.recordings.mcap import index
from wirecost.data.recordings.mcap.frames import OUTSIDE, FrameTable, Piece
from wirecost.system.ahead import ahead
from wirecost.system.closing import Closing
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.mapped import Mapped
from wirecost.system.progress import Progress, silent

NOTED = 1 << 14
"""Messages of a block: pages of the file before them are released."""
CACHED = 32 << 20
"""Bytes of unpacked chunks that are kept, for chunks that overlap in time; at least one is."""
UNPACKED = 64 << 20
"""Bytes of chunks that are unpacked ahead, by what they claim."""


Block = tuple[
    int, npt.NDArray[np.uint8], npt.NDArray[np.uint64], npt.NDArray[np.uint64],
    npt.NDArray[np.int64],
]  # fmt: skip
"""The number of a topic, memory, and where its messages begin, their bytes and log times."""
Run: TypeAlias = tuple[
    npt.NDArray[np.uint8], npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.int64],
    npt.NDArray[np.uint16],
]  # fmt: skip
"""The same without a topic, and the channel of each message."""


class McapMessage(NamedTuple):
    """A message. The view stays valid as long as it is held."""

    channel: int
    log_ns: int
    publish_ns: int
    data: memoryview
    sequence: int


class McapFile(Closing):
    """A file, read as far as it is whole; ``warnings`` has the rest. Raises UserError."""

    def __init__(self, path: Path, progress: Progress = silent) -> None:
        self.path = path
        self.warnings: list[str] = []
        self._data = Mapped(path)
        self._chunks = _Chunks(path, self._data)
        try:
            self.contents = index.read_contents(self._data.view, self._data.noting(progress))
        except index.DAMAGE as error:
            self.close()
            raise UserError(f"{path}: not an MCAP file; record it again") from error

    def close(self) -> None:
        self._chunks.clear()
        self._data.close()

    def complain(self, count: int, what: str) -> None:
        """Warn of a fault of the whole file; ``count``: of what is read all the same."""
        if self.contents.complaint:
            self.warnings.append(
                f"{self.path}: {self.contents.complaint}; the {count:,} whole {what} that were "
                "found are read"
            )

    def at(self, table: FrameTable, number: int, channels: Container[int]) -> McapMessage:
        """Return a message of a table, which is of one of these channels. Raises UserError."""
        data = self._bytes(int(table.chunk[number]))
        try:
            message = self._message(data, int(table.offset[number]))
        except index.DAMAGE as error:
            raise self._misleading(number) from error
        if message.log_ns != table.log_time[number] or message.channel not in channels:
            raise self._misleading(number)
        return message

    def each(self) -> Iterator[McapMessage]:
        """Yield every message in the order of the file; warn of those that are lost."""
        lost: Counter[str] = Counter()
        for place, _, offset in self.contents.frames.pieces():
            try:
                data = self._bytes(place)
                for at in offset.tolist():
                    yield self._message(data, at)
            except (UserError, *index.DAMAGE) as error:
                lost[_where(place, error)] += len(offset)
        self._warn_of(lost)

    def blocks(
        self, topics: Sequence[Collection[int]], begin_ns: int, end_ns: int
    ) -> Iterator[Block]:
        """Yield the messages of the channels of each topic, in the order of the file.

        Threads unpack the next chunks meanwhile. Messages that are lost are warned of.
        """
        topic_of = np.full(1 << 16, len(topics), np.uint16)
        for number, channels in enumerate(topics):
            topic_of[list(channels)] = number
        chosen = self.contents.frames.pieces(set().union(*topics), begin_ns, end_ns)
        lost: Counter[str] = Counter()
        for (place, channel, offset), data in self._parts(chosen, lost):
            of_part = topic_of[channel]
            present = np.unique(of_part).tolist() if len(topics) > 1 else [0]
            for number in present:
                wanted = offset[of_part == number]
                heads = self._heads(place, data, wanted, list(topics[number]), lost)
                yield number, data, *heads[:3]
        self._warn_of(lost)

    def runs(self) -> Iterator[Run]:
        """Yield all messages in the order of the file, as ``blocks`` does."""
        frames = self.contents.frames
        channels = np.flatnonzero(frames.counts).tolist()
        lost: Counter[str] = Counter()
        for (place, _, offset), data in self._parts(frames.pieces(), lost):
            yield data, *self._heads(place, data, offset, channels, lost)
        self._warn_of(lost)

    def _parts(
        self, pieces: Iterator[Piece], lost: Counter[str]
    ) -> Iterator[tuple[Piece, npt.NDArray[np.uint8]]]:
        """Yield some messages of chunks, and the bytes of these."""
        for (place, channel, offset), unpacked in ahead(
            pieces, self._unpacked, self._claimed, UNPACKED
        ):
            try:
                data = unpacked.result()
            except (UserError, *index.DAMAGE) as error:
                lost[_where(place, error)] += len(offset)
                continue
            if place != OUTSIDE:
                self._data.note_read(len(data))
            for at in range(0, len(offset), NOTED):
                some = slice(at, at + NOTED)
                yield Piece(place, channel[some], offset[some]), data

    def _heads(
        self,
        place: int,
        data: npt.NDArray[np.uint8],
        wanted: npt.NDArray[np.uint64],
        channels: list[int],
        lost: Counter[str],
    ) -> tuple[Any, Any, Any, Any]:
        """Return what a run has of the messages at these offsets."""
        heads = message_heads(data, wanted, channels)
        if absent := len(wanted) - len(heads[0]):
            lost[_where(place, ValueError())] += absent
        if place == OUTSIDE:
            self._data.note_read(int(heads[1].sum()))
        return heads

    def _unpacked(self, piece: Piece) -> npt.NDArray[np.uint8]:
        is_outside = piece.chunk == OUTSIDE
        data = self._data.view if is_outside else self._chunks.unpacked(piece.chunk)
        return np.frombuffer(data, np.uint8)

    def _claimed(self, piece: Piece) -> int:
        """Return the bytes that a piece's chunk says it has."""
        is_outside = piece.chunk == OUTSIDE
        return 0 if is_outside else index.claimed_size(self._data.view, piece.chunk)

    def _warn_of(self, lost: Counter[str]) -> None:
        self.warnings += [
            f"{self.path}: {counted(count, 'message')} or fewer lost in {where}"
            for where, count in lost.items()
        ]

    def _bytes(self, place: int) -> memoryview:
        return self._data.view if place == OUTSIDE else self._chunks.at(place)

    def _message(self, data: memoryview, at: int) -> McapMessage:
        """Return the message that begins there. Raises what DAMAGE names."""
        opcode, length, channel, sequence, log_ns, publish_ns = index.MESSAGE.unpack_from(data, at)
        start, end = at + index.MESSAGE.size, at + index.HEAD + length
        if opcode != Opcode.MESSAGE or not start <= end <= len(data):
            raise ValueError("no message where the index has one")
        if data is self._data.view:
            self._data.note_read(length)
        return McapMessage(channel, log_ns, publish_ns, data[start:end], sequence)

    def _misleading(self, number: int) -> UserError:
        """Return the error of an index that leads to no message."""
        return UserError(
            f"{self.path}: its index has no message for frame {number}; `mcap recover` makes a "
            "new one"
        )


class _Chunks:
    """The unpacked chunks used last."""

    def __init__(self, path: Path, data: Mapped) -> None:
        self._path = path
        self._data = data
        self._kept: OrderedDict[int, memoryview] = OrderedDict()

    def at(self, place: int) -> memoryview:
        if place in self._kept:
            self._kept.move_to_end(place)
            return self._kept[place]
        chunk = self.unpacked(place)
        self._data.note_read(len(chunk))
        self._kept[place] = chunk
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > CACHED:
            self._kept.popitem(last=False)
        return chunk

    def unpacked(self, place: int) -> memoryview:
        """Return a chunk, from any thread, without keeping it."""
        if (kept := self._kept.get(place)) is not None:
            return kept
        try:
            chunk = index.chunk_at(self._data.view, place)
        except index.UnknownCompressionError as error:
            raise UserError(f"{self._path}: its chunks are {error}") from error
        except index.DAMAGE as error:
            raise UserError(
                f"{self._path}: the chunk at byte {place} is damaged ({shown(error)}); record the "
                "trace again"
            ) from error
        return chunk

    def clear(self) -> None:
        self._kept.clear()


def _where(place: int, error: Exception) -> str:
    if isinstance(error.__cause__, index.UnknownCompressionError):
        return f"chunks that are {error.__cause__}"
    return f"the damaged chunk at byte {max(place, 0):,}"
