# SPDX-License-Identifier: Apache-2.0
"""Readings of a recording: by our readers, and by the formats' own libraries."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from mcap.reader import NonSeekingReader, SeekingReader
from rosbags import rosbag1
from rosbags.interfaces import Connection as RosbagsConnection
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader
from rosbags.typesys.msg import normalize_msgtype

from attack.target import one_line
from wirecost.data.recordings.connection import RecordedConnection, RecordingPart
from wirecost.data.recordings.formats.bag import Bag1
from wirecost.data.recordings.formats.db3 import SqliteFile
from wirecost.data.recordings.formats.mcap_file import McapPart
from wirecost.data.traces.choices import TYPES
from wirecost.data.traces.opening import open_trace
from wirecost.system.errors import UserError

Channel = tuple[object, ...]
"""Number, topic, type and, where the reference gives them as they are, definition."""
MOST_MESSAGES = 10_000


@dataclass
class Reading:
    """Result of reading a file.

    ``channels``: messages of each that has any, in the order of their times. ``ended``: why
    there are no more, empty at the end of the file; ``said``: what a user reads about it."""

    channels: dict[Channel, list[bytes]] = field(default_factory=dict)
    ended: str = ""
    said: str = ""

    def covers(self, other: Reading) -> bool:
        """Return whether all messages of the other are here, in their order."""
        return all(
            _within(part, self.channels.get(key, [])) for key, part in other.channels.items()
        )


def _within(part: list[bytes], whole: list[bytes]) -> bool:
    rest = iter(whole)
    return all(any(message == other for other in rest) for message in part)


def _reason(error: BaseException) -> str:
    """Return the kind of an error: its text without numbers and quoted parts."""
    text = re.sub(r"/\S+:|b'.*", "_", str(error))
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', text)[:120]}".replace("\n", " ")


def _part(
    open_part: Callable[[Path], RecordingPart],
    path: Path,
    channel: Callable[[RecordedConnection], Channel],
) -> Reading:
    reading = Reading()
    try:
        with closing(open_part(path)) as part:
            for connection in part.connections:
                messages = part.messages(
                    {connection.number}, range(min(connection.count, MOST_MESSAGES))
                )
                if messages:
                    reading.channels[channel(connection)] = messages
                if len(messages) != min(connection.count, MOST_MESSAGES):
                    raise AssertionError(
                        f"{connection.count} messages are counted, {len(messages)} read"
                    )
            reading.said = "; ".join(part.warnings)
    except UserError as error:
        one_line(error)
        reading.ended = _reason(error)
    return reading


def our_mcap(path: Path) -> Reading:
    def channel(one: RecordedConnection) -> Channel:
        return one.number, one.topic, one.wire, one.type, one.encoding, one.definition

    return _part(McapPart, path, channel)


def our_bag(path: Path) -> Reading:
    return _part(Bag1, path, lambda one: _of_bag(one.number, one.topic, one.type, one.definition))


def _of_bag(number: int, topic: str, type_: str, definition: bytes) -> Channel:
    return number, topic, normalize_msgtype(type_), definition


def our_database(path: Path) -> Reading:
    return _part(SqliteFile, path, lambda one: (one.number, one.topic, one.type))


def our_trace(path: Path) -> Reading:
    reading = Reading()
    try:
        with open_trace(path) as trace:
            messages = [bytes(message) for _, message in trace.frames()]
            if messages:
                reading.channels[trace.about.topic, trace.type_name] = messages
            reading.said = "; ".join(trace.warnings)
    except UserError as error:
        one_line(error)
        reading.ended = _reason(error)
    return reading


def mcap_by_index(path: Path) -> Reading:
    return _by_mcap(path, SeekingReader)


def mcap_in_sequence(path: Path) -> Reading:
    return _by_mcap(path, NonSeekingReader)


def _by_mcap(path: Path, kind: type[SeekingReader | NonSeekingReader]) -> Reading:
    data = path.read_bytes()
    messages: list[tuple[int, Channel, bytes]] = []
    reading = Reading()
    try:
        reader = kind(io.BytesIO(data), validate_crcs=True, record_size_limit=len(data))
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            about = (schema.name, schema.encoding, schema.data) if schema else ("", "", b"")
            key = (channel.id, channel.topic, channel.message_encoding, *about)
            messages.append((message.log_time, key, message.data))
    except Exception as error:  # whatever the library raises on a damaged file
        reading.ended = _reason(error)
    for _, of, sent in sorted(messages, key=lambda one: one[0]):
        reading.channels.setdefault(of, []).append(sent)
    return reading


def of_trace(reading: Reading) -> Reading:
    """Return the part of an MCAP file's reading that is OSI's."""
    osi = {f"osi3.{name}": name for name in TYPES.values()}
    osi_reading = Reading(ended=reading.ended)
    for (_, topic, wire, type_, encoding, _), messages in reading.channels.items():
        if type_ in osi and wire == encoding == "protobuf":
            osi_reading.channels.setdefault((topic, osi[str(type_)]), []).extend(messages)
    return osi_reading


def trace_by_index(path: Path) -> Reading:
    return of_trace(mcap_by_index(path))


def trace_in_sequence(path: Path) -> Reading:
    return of_trace(mcap_in_sequence(path))


def bag_by_rosbags(path: Path) -> Reading:
    return _by_rosbags(
        rosbag1.Reader(path),
        lambda one: _of_bag(one.id, one.topic, one.msgtype, one.msgdef.data.encode()),
    )


def database_by_rosbags(path: Path) -> Reading:
    return _by_rosbags(Sqlite3Reader(path), lambda one: (one.id, str(one.topic), str(one.msgtype)))


def _by_rosbags(
    reader: rosbag1.Reader | Sqlite3Reader, channel: Callable[[RosbagsConnection], Channel]
) -> Reading:
    reading = Reading()
    try:
        reader.open()
        with closing(reader):
            for connection in list(reader.connections):
                for _, _, data in reader.messages([connection]):
                    if not isinstance(data, bytes | memoryview):
                        raise TypeError("a message that is not of bytes")
                    reading.channels.setdefault(channel(connection), []).append(data)
    except Exception as error:  # whatever the library raises on a damaged file
        reading.ended = _reason(error)
    return reading
