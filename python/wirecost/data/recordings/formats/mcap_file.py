# SPDX-License-Identifier: Apache-2.0
"""An MCAP file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import starmap
from pathlib import Path

from wirecost.data.recordings.blocks import MessageBlock, MessageRun, Window
from wirecost.data.recordings.connection import (
    DIGEST,
    RecordedConnection,
    RecordedMessage,
    RecordingFiles,
)
from wirecost.data.recordings.mcap.file import McapFile
from wirecost.data.recordings.mcap.recorders import METADATA
from wirecost.data.recordings.packed_messages import with_unpacked
from wirecost.system.errors import UserError

PLUGIN_ORDER = 1
SUFFIX = ".mcap"
NAME = "MCAP"


class McapPart:
    """See RecordingPart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = McapFile(path)
        self.warnings = self._file.warnings
        contents = self._file.contents
        if not contents.channels:
            self.close()
            raise UserError(
                f"{path}: holds no channel ({contents.complaint or 'no channel at all'}); name "
                "another recording"
            )
        counts = contents.frames.counts
        self.dropped = [each.metadata for each in contents.metadata if each.name == METADATA]
        self._file.complain(len(contents.frames), "messages")
        self.connections = []
        for channel in contents.channels.values():
            schema = contents.schemas.get(channel.schema_id)
            self.connections.append(
                RecordedConnection(
                    channel.id,
                    channel.topic,
                    schema.name if schema else "",
                    channel.message_encoding,
                    schema.encoding if schema else "",
                    schema.data if schema else b"",
                    int(counts[channel.id]),
                    channel.metadata.get(DIGEST, ""),
                    channel.metadata,
                )
            )

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        table = self._file.contents.frames.picked(numbers, wanted)
        return [bytes(self._file.at(table, at, numbers).data) for at in range(len(table.chunk))]

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        return self._file.contents.frames.span(numbers)

    def each(self) -> Iterator[RecordedMessage]:
        for message in self._file.each():
            yield RecordedMessage(
                message.channel, message.log_ns, message.data, message.sequence, message.publish_ns
            )

    def blocks(self, topics: Sequence[Collection[int]], window: Window) -> Iterator[MessageBlock]:
        return starmap(MessageBlock, self._file.blocks(topics, *window))

    def runs(self) -> Iterator[MessageRun]:
        return starmap(MessageRun, self._file.runs())

    def close(self) -> None:
        self._file.close()


def open_files(path: Path) -> RecordingFiles:
    return RecordingFiles([with_unpacked(McapPart(path))])
