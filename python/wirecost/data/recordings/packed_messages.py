# SPDX-License-Identifier: Apache-2.0
"""Messages of ROS 2 that are compressed one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import zstandard

from wirecost.data.recordings.connection import RecordedMessage, RecordingPart
from wirecost.data.recordings.damage import REINDEX, damage
from wirecost.system.errors import UserError

LARGEST_MESSAGE = 1 << 30
"""Bytes of a compressed message once it is unpacked."""


class PackedMessages:
    """A file whose messages are compressed one by one; see RecordingPart."""

    def __init__(self, part: RecordingPart) -> None:
        self._part = part
        self.path = part.path
        self.connections = part.connections
        self.warnings = part.warnings

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        with damage(self.path, REINDEX):
            return [_unpacked(data) for data in self._part.messages(numbers, wanted)]

    def each(self) -> Iterator[RecordedMessage]:
        with damage(self.path, REINDEX):
            for message in self._part.each():
                yield message._replace(data=_unpacked(bytes(message.data)))

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        return self._part.span_ns(numbers)

    def close(self) -> None:
        self._part.close()


def with_unpacked(part: RecordingPart) -> RecordingPart:
    """Return the file, so that its messages are unpacked where they are compressed."""
    if isinstance(part, PackedMessages) or not _is_packed(part):
        return part
    return PackedMessages(part)


def _is_packed(part: RecordingPart) -> bool:
    """Return whether messages are compressed, of which only ``metadata.yaml`` would inform."""
    of_ros2 = [each for each in part.connections if each.wire == "cdr" and each.count]
    if not of_ros2:
        return False
    fewest = min(of_ros2, key=lambda connection: connection.count)
    try:
        (data,) = part.messages([fewest.number], [0])
    except (UserError, ValueError):
        return False
    return data.startswith(zstandard.FRAME_HEADER)


def _unpacked(data: bytes) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(data) as reader:
        content = reader.read(LARGEST_MESSAGE + 1)
    if len(content) > LARGEST_MESSAGE:
        raise ValueError(f"a message of more than {LARGEST_MESSAGE >> 30} GiB")
    return content
