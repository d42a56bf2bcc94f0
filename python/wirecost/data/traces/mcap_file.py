# SPDX-License-Identifier: Apache-2.0
"""OSI's multi-channel trace files: MCAP with Protobuf channels (OSI, "trace file formats")."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mcap.records import Channel

from wirecost.data.recordings.mcap import index
from wirecost.data.recordings.mcap.file import McapFile
from wirecost.data.traces.choices import TYPES
from wirecost.data.traces.trace import About, Frame
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line, shown
from wirecost.system.mapped import Mapped
from wirecost.system.progress import Progress, silent

METADATA = "net.asam.osi.trace"
CHANNEL = "net.asam.osi.trace.channel"
STATIC_TOPIC = "/static"
"""End of the topic on which a channel's static data comes."""


class McapTrace(McapFile):
    """The frames of one OSI channel, in the order of their log times. Raises UserError."""

    def __init__(self, path: Path, topic: str | None = None, progress: Progress = silent) -> None:
        super().__init__(path, progress)
        contents = self.contents
        channels = osi_channels(contents)
        self.topics = tuple(channels)
        """Topics of all such channels in the file."""
        topic = self._chosen(topic)
        self._ids, self.type_name = channels[topic]
        first = contents.channels[min(self._ids)]
        self.schema = contents.schemas[first.schema_id]
        """The schema as the file has it."""
        records = [record for record in contents.metadata if record.name == METADATA]
        self.metadata_records = len(records)
        """Number of records ``net.asam.osi.trace``; there should be one."""
        self.about = About(
            topic, dict(records[0].metadata) if records else {}, dict(first.metadata)
        )
        self._table = contents.frames.of(self._ids)
        self.complain(self.frame_count, "frames")

    @property
    def frame_count(self) -> int:
        return len(self._table.offset)

    def frame(self, number: int) -> Frame:
        """Log time and message of frame ``number`` from 0. Raises IndexError, UserError."""
        if not 0 <= number < self.frame_count:
            raise IndexError(number)
        message = self.at(self._table, number, self._ids)
        return message.log_ns, message.data

    def frames(self, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        last = self.frame_count if stop is None else min(stop, self.frame_count)
        for number in range(start, last):
            yield self.frame(number)

    def _chosen(self, topic: str | None) -> str:
        path, topics, contents = self.path, self.topics, self.contents
        if not topics:
            others = [
                shown(f"{c.topic}: {c.message_encoding or 'no encoding'} {_schema(contents, c)}")
                for c in contents.channels.values()
            ]
            raise UserError(
                f"{path}: holds no OSI channel in Protobuf "
                f"({'; '.join(others[:3]) or contents.complaint or 'no channel at all'}); "
                "convert its messages to osi3 Protobuf first"
            )
        if topic is None:
            if len(topics) > 1:
                raise UserError(f"{path}: has several OSI channels; choose --topic {_or(topics)}")
            return topics[0]
        if topic not in topics:
            raise UserError(
                f"{path}: has no OSI channel {shown(topic)}; choose --topic {_or(topics)}"
            )
        return topic


def osi_channels(contents: index.Contents) -> dict[str, tuple[set[int], str]]:
    """Return ids and message type, without its package, of each topic's channels of OSI."""
    osi = {f"osi3.{name}": name for name in TYPES.values()}
    topics: dict[str, tuple[set[int], str]] = {}
    for channel in contents.channels.values():
        schema = contents.schemas.get(channel.schema_id)
        if schema is None or {channel.message_encoding, schema.encoding} != {"protobuf"}:
            continue
        ids, first = topics.setdefault(channel.topic, (set(), schema.name))
        if first == schema.name:
            ids.add(channel.id)
    return {topic: (ids, osi[name]) for topic, (ids, name) in topics.items() if name in osi}


def _schema(contents: index.Contents, channel: Channel) -> str:
    schema = contents.schemas.get(channel.schema_id)
    return schema.name if schema is not None else ""


def _or(topics: tuple[str, ...]) -> str:
    return " or ".join(map(shell_line, topics[:8]))


def static_topics(path: Path, topic: str | None) -> tuple[str | None, str | None]:
    """Return the topic of a file's frames and that of their static data; None where unknown.

    ``topic``: the one that is asked for.
    """
    data = Mapped(path)
    try:
        topics = osi_channels(index.read_contents(data.view, data.noting(silent)))
    except index.DAMAGE:
        return topic, None  # opening it says so
    finally:
        data.close()
    pairs = {name: name + STATIC_TOPIC for name in topics if name + STATIC_TOPIC in topics}
    if topic is None and len(pairs) == 1:
        (topic,) = pairs
    return topic, pairs.get(topic or "")
