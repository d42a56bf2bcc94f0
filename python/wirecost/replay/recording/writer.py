# SPDX-License-Identifier: Apache-2.0
"""Writes ``recording.mcap`` so that a killed or failed recorder leaves what came before."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from wirecost.data.recordings.mcap.recorders import METADATA
from wirecost.data.recordings.mcap.writer import McapSchema, McapWriter
from wirecost.replay.middleware import Call, Service, Topic
from wirecost.replay.recording import call_record
from wirecost.replay.recording.bag_metadata import Counted, write_bag_metadata
from wirecost.replay.recording.qos_text import profiles
from wirecost.replay.systems import System
from wirecost.system.closing import Closing
from wirecost.system.failed_write import failed_write

CHUNK_BYTES = 4 << 20
ROLE = "wirecost_role"
INPUT, OUTPUT, CALL = "input", "output", "call"


class RecordingWriter(Closing):
    """Channels and messages of one recording. Raises UserError once the file cannot be written.

    Every ``flush`` closes the chunk: what was written before is readable whatever comes after.
    """

    def __init__(self, path: Path, system: System) -> None:
        self.path = path
        self._system = system
        self._file = _Unbuffered(path)
        self._counted: dict[int, Counted] = {}
        self._dropped: dict[str, int] = {}
        with self._as_user_error():
            self._writer = McapWriter(self._file, system.profile, "lz4", CHUNK_BYTES)

    def add_topic(self, topic: Topic, role: str) -> int:
        """Return the channel of a topic in its ``role``: INPUT or OUTPUT."""
        metadata = {ROLE: role, "topic_type": topic.type}
        if self._system.profile == "ros1":
            metadata |= {
                "type": topic.type,
                "topic": topic.name,
                "latching": "1" if topic.qos.is_latched else "0",
            }
            metadata["md5sum"] = topic.type_hash
        else:
            metadata["offered_qos_profiles"] = profiles(topic.qos)
            metadata["topic_type_hash"] = topic.type_hash
        encoding = self._system.schema if topic.definition else ""
        schema = McapSchema(topic.type, encoding, topic.definition.encode())
        with self._as_user_error():
            channel = self._writer.channel(topic.name, self._system.encoding, schema, metadata)
        self._counted[channel] = Counted(topic)
        return channel

    def write(
        self, channel: int, log_ns: int, publish_ns: int, message: bytes, missed: int = 0
    ) -> None:
        """Write a message; ``missed``: messages of its channel that are missing before it."""
        with self._as_user_error():
            self._writer.write(channel, log_ns, message, publish_ns, missed)
        if channel in self._counted:
            self._counted[channel].add(max(log_ns, 0))

    def write_call(self, service: Service, call: Call, log_ns: int) -> None:
        metadata = {
            ROLE: CALL,
            "service": service.name,
            "type": service.type,
            "md5sum": service.type_hash,
        }
        topic = service.name + call_record.SUFFIX
        # An empty schema, since rosbag2 opens no file with a channel that has none.
        schema = McapSchema(call_record.SCHEMA, "", b"")
        with self._as_user_error():
            channel = self._writer.channel(topic, call_record.ENCODING, schema, metadata)
        self.write(channel, log_ns, log_ns, call_record.encode(call))

    def note_dropped(self, counts: Mapping[str, int]) -> None:
        """Write how many messages of topics fell out of the cache until now, where it grew."""
        if counts != self._dropped:
            self._dropped = dict(counts)
            with self._as_user_error():
                self._writer.add_metadata(
                    METADATA, {topic: str(count) for topic, count in counts.items()}
                )

    def flush(self) -> None:
        with self._as_user_error():
            self._writer.flush()

    def write_bag_metadata(self) -> None:
        """Write the file by which rosbag2 opens the recording, so far; none for ROS 1."""
        if self._system.profile == "ros2":
            write_bag_metadata(self.path, self._system.encoding, list(self._counted.values()))

    def close(self) -> None:
        try:
            if self._file.failed:
                return
            with self._as_user_error():
                self._writer.finish()
        finally:
            self._file.close()

    @contextlib.contextmanager
    def _as_user_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise failed_write(self.path, error, "name another --out") from error


class _Unbuffered:
    """A file whose every write reaches the kernel, so that a killed process loses none."""

    def __init__(self, path: Path) -> None:
        self.failed = False
        self._at = 0
        try:
            self._descriptor = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644
            )
        except OSError as error:
            raise failed_write(path, error, "name another --out") from error

    def write(self, content: bytes) -> int:
        rest = memoryview(content)
        try:
            while rest:
                written = os.write(self._descriptor, rest)
                self._at += written
                rest = rest[written:]
        except OSError:
            self.failed = True
            raise
        return len(content)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        """Do nothing: every write did so already."""

    def close(self) -> None:
        os.close(self._descriptor)
