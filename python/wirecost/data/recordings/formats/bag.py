# SPDX-License-Identifier: Apache-2.0
"""Bags of ROS 1."""

from __future__ import annotations

import bz2
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import lz4.frame
from rosbags import rosbag1
from rosbags.interfaces import Connection as RosbagsConnection
from rosbags.interfaces import ConnectionExtRosbag1, MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag1.reader import Chunk, Header, RecordType, decompressors, normalize

from wirecost.data.recordings.connection import (
    CALLER,
    RecordedConnection,
    RecordedMessage,
    RecordingFiles,
)
from wirecost.data.recordings.damage import damage
from wirecost.data.recordings.mcap.index import MAX_CHUNK

PLUGIN_ORDER = 2
SUFFIX = ".bag"
NAME = "ROS 1's .bag"


class _Bag1Reader(rosbag1.Reader):
    def read_connection(self) -> RosbagsConnection:
        """Read a connection as rosbags does, but keep one whose definition is not UTF-8.

        Degree signs in comments of older files are not.
        """
        assert self.bio is not None
        header = Header.read(self.bio, RecordType.CONNECTION)
        about = Header.read(self.bio)
        text = about.get("message_definition", b"").decode("utf-8", "replace")
        return RosbagsConnection(
            header.get_uint32("conn"),
            normalize(header.get_string("topic")),
            about.get_string("type"),
            MessageDefinition(MessageDefinitionFormat.MSG, text),
            about.get("md5sum", b"").decode("ascii", "replace"),
            0,
            ConnectionExtRosbag1(about.get(CALLER, b"").decode("utf-8", "replace"), None),
            self,
        )

    def read_chunk(self) -> Chunk:
        """Read a chunk's head as rosbags does; unpacked, it has the bytes that the head states."""
        assert self.bio is not None
        begin = self.bio.tell()
        size = Header.read(self.bio, RecordType.CHUNK).get_uint32("size")
        self.bio.seek(begin)
        chunk = super().read_chunk()
        kind = _UNPACKING.get(chunk.decompressor)
        if kind is None:
            return chunk
        return chunk._replace(decompressor=partial(_unpacked, kind, size))


_UNPACKING: dict[object, Callable[[], Any]] = {
    decompressors["bz2"]: bz2.BZ2Decompressor,
    decompressors["lz4"]: lz4.frame.LZ4FrameDecompressor,
}


def _unpacked(kind: Callable[[], Any], size: int, data: bytes) -> bytes:
    if size > MAX_CHUNK:
        raise ValueError(f"a chunk of {size:,} bytes")
    unpacking = kind()
    content: bytes = unpacking.decompress(data, size + 1)
    if len(content) != size:
        raise ValueError("a chunk of another size than it states")
    return content


class Bag1:
    """See RecordingPart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []
        self._reader = _Bag1Reader(path)
        with damage(path, "rosbag reindex"):
            self._reader.open()
            numbers = [connection.id for connection in self._reader.connections]
            if len(set(numbers)) < len(numbers):
                raise ValueError("two connections of one number")
        self.connections = [
            RecordedConnection(each.id, each.topic, each.msgtype, "ros1", "ros1msg",
                       each.msgdef.data.encode(), each.msgcount, each.digest, _about(each))
            for each in self._reader.connections
        ]  # fmt: skip

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        messages: list[bytes] = []
        with damage(self.path, "rosbag reindex"):
            connections = [
                connection for connection in self._reader.connections if connection.id in numbers
            ]
            for number, (_, _, data) in enumerate(self._reader.messages(connections)):
                if len(messages) == len(wanted):
                    break
                if number == wanted[len(messages)]:
                    messages.append(bytes(data))
        return messages

    def each(self) -> Iterator[RecordedMessage]:
        with damage(self.path, "rosbag reindex"):
            for connection, time_ns, data in self._reader.messages():
                yield RecordedMessage(connection.id, time_ns, data)

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        """Return the times of the first and the last message of the whole bag."""
        del numbers
        return self._reader.start_time, self._reader.end_time

    def close(self) -> None:
        self._reader.close()


def _about(connection: RosbagsConnection) -> dict[str, str]:
    caller = getattr(connection.ext, CALLER, "")
    return {CALLER: caller} if caller else {}


def open_files(path: Path) -> RecordingFiles:
    return RecordingFiles([Bag1(path)])
