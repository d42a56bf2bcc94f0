# SPDX-License-Identifier: Apache-2.0
"""Places of a file's messages, by chunk and channel: those of one chunk are looked up at a time.

What is held of a file grows with its chunks, not with its messages.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

OUTSIDE = -1
"""The chunk of messages that stand in the file itself."""
CHANNELS = 1 << 16
Ints = npt.NDArray[np.int64]
Entries = npt.NDArray[np.uint64]
"""Pairs of log time and offset in the chunk."""


class Piece(NamedTuple):
    """Messages of a chunk, in its order: their channels and offsets."""

    chunk: int
    channel: npt.NDArray[np.uint16]
    offset: npt.NDArray[np.uint64]


@dataclass(frozen=True)
class FrameTable:
    """Frames in the order of their log times; those of one time in the order of the file."""

    log_time: npt.NDArray[np.uint64]
    chunk: Ints
    offset: npt.NDArray[np.uint64]


class FrameIndex:
    """Messages of each channel in each chunk.

    ``entries``: returns a chunk's of a channel by where they are, and how many.
    """

    def __init__(self, entries: Callable[[int, int], Entries]) -> None:
        self._entries = entries
        self._rows = array("Q")

    def add(self, channel: int, chunk: int, at: int, entries: Entries) -> None:
        """Add messages of a channel in a chunk, which is its position, or OUTSIDE."""
        if len(entries):
            times = entries[:, 0]
            low, high = int(times.min()), int(times.max())
            self._rows.extend((chunk - OUTSIDE, channel, at, len(entries), low, high))

    @cached_property
    def _table(self) -> npt.NDArray[np.uint64]:
        """Columns of all rows in order of the chunks; no row is added after this."""
        rows = np.frombuffer(self._rows, np.uint64).reshape(-1, 6)
        return rows[np.argsort(rows[:, 0], kind="stable")].T

    @cached_property
    def counts(self) -> Ints:
        """Number of messages of each channel."""
        counts = np.zeros(CHANNELS, np.int64)
        np.add.at(counts, self._table[1].astype(np.int64), self._table[3].astype(np.int64))
        return counts

    def __len__(self) -> int:
        return int(self.counts.sum())

    def span(self, channels: Collection[int]) -> tuple[int, int]:
        """Return the first and last log time of channels that have messages."""
        rows = self._rows_of(channels)
        return int(self._table[4][rows].min()), int(self._table[5][rows].max())

    def pieces(
        self,
        channels: Collection[int] | None = None,
        begin_ns: int = 0,
        end_ns: int = np.iinfo(np.int64).max,
    ) -> Iterator[Piece]:
        """Yield each chunk's messages of channels, from one time to before another."""
        most = np.iinfo(np.uint64).max
        begin = np.uint64(min(max(begin_ns, 0), most))
        end = np.uint64(most if end_ns == np.iinfo(np.int64).max else max(end_ns, 0))
        chunk, channel, *_, low, high = self._table
        is_open = end == most  # a log time may be that
        rows = self._rows_of(channels)
        rows = rows[(high[rows] >= begin) & (is_open | (low[rows] < end))]
        is_inside = (low >= begin) & (is_open | (high < end))
        for some in np.split(rows, np.flatnonzero(np.diff(chunk[rows])) + 1):
            if not len(some):
                continue
            parts = [self._of_row(row) for row in some.tolist()]
            entries = np.concatenate(parts)
            channel_of = np.repeat(channel[some].astype(np.uint16), [len(part) for part in parts])
            if not is_inside[some].all():
                is_wanted = (entries[:, 0] >= begin) & (is_open | (entries[:, 0] < end))
                entries, channel_of = entries[is_wanted], channel_of[is_wanted]
            offset = entries[:, 1]
            if len(parts) > 1 or (offset[1:] < offset[:-1]).any():
                order = np.argsort(offset, kind="stable")
                offset, channel_of = offset[order], channel_of[order]
            if len(offset):
                yield Piece(int(chunk[some[0]]) + OUTSIDE, channel_of, offset)

    def of(self, channels: Collection[int]) -> FrameTable:
        """Return all frames of channels."""
        return self._sorted(self._rows_of(channels))

    def picked(self, channels: Collection[int], numbers: Sequence[int]) -> FrameTable:
        """Return frames of channels by their numbers, which ascend; others are left out.

        Only chunks that overlap in time with that of a frame are looked up.
        """
        rows = self._rows_of(channels)
        _, _, _, count, low, high = (column[rows] for column in self._table)
        order = np.argsort(low, kind="stable")
        latest = np.maximum.accumulate(high[order])
        begins = np.flatnonzero(np.r_[True, low[order][1:] > latest[:-1]])
        before = np.r_[0, np.cumsum(count[order].astype(np.int64))]
        tables = [self._sorted(np.zeros(0, np.int64))]
        for begin, end in zip(begins, [*begins[1:], len(order)], strict=True):
            first, behind = int(before[begin]), int(before[end])
            inside = [number - first for number in numbers if first <= number < behind]
            if inside:
                near = self._sorted(rows[order[begin:end]])
                tables.append(
                    FrameTable(near.log_time[inside], near.chunk[inside], near.offset[inside])
                )
        names = ("log_time", "chunk", "offset")
        return FrameTable(
            *(np.concatenate([getattr(table, name) for table in tables]) for name in names)
        )

    def _rows_of(self, channels: Collection[int] | None) -> Ints:
        is_wanted = np.full(CHANNELS, channels is None)
        is_wanted[list(channels or ())] = True
        return np.flatnonzero(is_wanted[self._table[1].astype(np.int64)])

    def _of_row(self, row: int) -> Entries:
        return self._entries(int(self._table[2][row]), int(self._table[3][row]))

    def _sorted(self, rows: Ints) -> FrameTable:
        parts = [self._of_row(row) for row in rows.tolist()]
        entries = np.concatenate([np.zeros((0, 2), np.uint64), *parts])
        places = self._table[0][rows].astype(np.int64) + OUTSIDE
        chunk = np.repeat(places, [len(part) for part in parts])
        time, offset = entries[:, 0], entries[:, 1]
        if (time[1:] > time[:-1]).all():
            return FrameTable(time, chunk, offset)
        # Messages of one time are in the order of the file, not of its index.
        place = np.where(chunk == OUTSIDE, offset.astype(np.int64), chunk)
        order = np.lexsort((offset, place, time))
        return FrameTable(time[order], chunk[order], offset[order])


class FoundFrames:
    """Messages of a file without an index, one by one as they are found."""

    def __init__(self) -> None:
        self.channel = array("H")
        self._entries = array("Q")
        self._chunk = array("q")

    def add(self, channel: int, log_time: int, chunk: int, offset: int) -> None:
        """Add a message."""
        self.channel.append(channel)
        self._entries.extend((log_time, offset))
        self._chunk.append(chunk)

    def index(self) -> FrameIndex:
        """Return the index of all messages; none is added after this."""
        chunk, channel = np.asarray(self._chunk), np.asarray(self.channel)
        entries = np.frombuffer(self._entries, np.uint64).reshape(-1, 2)
        if not len(chunk):
            return FrameIndex(lambda at, count: entries[at : at + count])
        order = np.lexsort((channel, chunk))
        entries, chunk, channel = entries[order], chunk[order], channel[order]
        index = FrameIndex(lambda at, count: entries[at : at + count])
        is_new = (np.diff(chunk) != 0) | (np.diff(channel.astype(np.int64)) != 0)
        begins = [0, *(np.flatnonzero(is_new) + 1).tolist(), len(chunk)]
        for at, end in pairwise(begins):
            index.add(int(channel[at]), int(chunk[at]), at, entries[at:end])
        return index
