# SPDX-License-Identifier: Apache-2.0
"""An MCAP file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from mcap.opcode import Opcode

from wirecost.data.recordings import offered
from wirecost.data.recordings.connection import RecordedConnection, RecordedMessage
from wirecost.data.traces import mcap_index
from wirecost.data.traces.mcap_file import McapChannel
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

PLUGIN_ORDER = 1
SUFFIX = ".mcap"
NAME = "MCAP"
ALL = ""


class McapPart(McapChannel):
    """See RecordingPart."""

    what = "channel"
    remedy = "name another recording"
    _contents: mcap_index.Contents

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        frames = np.bincount(np.asarray(self._contents.frames.channel), minlength=1)
        self.connections = []
        for channel in self._contents.channels.values():
            schema = self._contents.schemas.get(channel.schema_id)
            self.connections.append(
                RecordedConnection(
                    channel.id,
                    channel.topic,
                    schema.name if schema else "",
                    channel.message_encoding,
                    schema.encoding if schema else "",
                    schema.data if schema else b"",
                    int(frames[channel.id]) if channel.id < len(frames) else 0,
                    channel.metadata.get("topic_type_hash", ""),
                    offered.offered_words(channel.metadata.get(offered.KEY, "")),
                )
            )

    def channels(  # type: ignore[override]
        self, contents: mcap_index.Contents
    ) -> dict[str, tuple[set[int], str]]:
        self._contents = contents
        return {ALL: (set(contents.channels), "")} if contents.channels else {}

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        self._ids = set(numbers)
        self._table = self._contents.frames.of(self._ids)
        return [bytes(self.frame(number)[1]) for number in wanted]

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        times = self._contents.frames.of(set(numbers)).log_time
        return int(times[0]), int(times[-1])

    def each(self) -> Iterator[RecordedMessage]:
        frames = self._contents.frames
        chunk, offset = np.asarray(frames.chunk), np.asarray(frames.offset)
        order = np.lexsort((offset, chunk))
        starts = np.flatnonzero(np.diff(chunk[order], prepend=chunk[order[:1]] - 1))
        lost: Counter[str] = Counter()
        for numbers in np.split(order, starts[1:]) if len(order) else ():
            place = int(chunk[numbers[0]])
            try:
                data = self._data.view if place == mcap_index.OUTSIDE else self._chunks.at(place)
                yield from self._in(data, offset[numbers].tolist())
            except (UserError, *mcap_index.DAMAGE) as error:
                lost[_where(place, error)] += len(numbers)
        self.warnings += [
            f"{counted(count, 'message')} or fewer lost in {where}" for where, count in lost.items()
        ]

    def _in(self, data: memoryview, offsets: list[int]) -> Iterator[RecordedMessage]:
        """Yield the messages at these offsets. Raises what DAMAGE names."""
        head = mcap_index.MESSAGE.size
        for at in offsets:
            opcode, length, channel, _, time_ns, _ = mcap_index.MESSAGE.unpack_from(data, at)
            end = at + mcap_index.HEAD + length
            if opcode != Opcode.MESSAGE or not at + head <= end <= len(data):
                raise ValueError("no message where the index has one")
            if data is self._data.view:
                self._data.note_read(length)
            yield RecordedMessage(channel, time_ns, data[at + head : end])


def _where(place: int, error: Exception) -> str:
    if isinstance(error.__cause__, mcap_index.UnknownCompressionError):
        return f"chunks that are {error.__cause__}"
    return f"the damaged chunk at byte {max(place, 0):,}"


def open_part(path: Path) -> McapPart:
    return McapPart(path)
