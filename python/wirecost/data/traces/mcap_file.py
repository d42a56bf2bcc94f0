# SPDX-License-Identifier: Apache-2.0
"""OSI's multi-channel trace files: MCAP with Protobuf channels (OSI, "trace file formats")."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterator
from pathlib import Path

from mcap.opcode import Opcode
from mcap.records import Channel, Schema

from wirecost.data.traces import mcap_index
from wirecost.data.traces.choices import TYPES
from wirecost.data.traces.files import Mapped
from wirecost.data.traces.trace import About, Frame, Progress, silent
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line
from wirecost.system.printable import shown

METADATA = "net.asam.osi.trace"
CHANNEL = "net.asam.osi.trace.channel"
STATIC_TOPIC = "/static"
"""End of the topic on which a channel's static data comes."""
CACHED = 32 << 20
"""Bytes of unpacked chunks that are kept, for chunks that overlap in time; at least one is."""


class McapChannel(Closing):
    """The frames of one Protobuf channel, in the order of their log times. Raises UserError.

    ``what``: which channels there are to choose from, for people.
    """

    what = "Protobuf channel"
    remedy = "record its messages in Protobuf"

    def __init__(self, path: Path, topic: str | None = None, progress: Progress = silent) -> None:
        self.path = path
        self.warnings: list[str] = []
        self._data = Mapped(path)
        self._chunks = _Chunks(path, self._data)
        try:
            contents = mcap_index.read_contents(self._data.view, self._data.noting(progress))
        except mcap_index.DAMAGE as error:
            raise UserError(f"{path}: not an MCAP file; record it again") from error
        channels = self.channels(contents)
        self.topics = tuple(channels)
        """Topics of all such channels in the file."""
        topic = self._chosen(topic, contents)
        ids, self.type_name = channels[topic]
        first = contents.channels[min(ids)]
        # A channel may have no schema.
        self.schema = contents.schemas.get(first.schema_id) or Schema(0, b"", "", "")
        """The schema as the file has it."""
        records = [record for record in contents.metadata if record.name == METADATA]
        self.metadata_records = len(records)
        """Number of records ``net.asam.osi.trace``; there should be one."""
        self.about = About(
            topic, dict(records[0].metadata) if records else {}, dict(first.metadata)
        )
        self._table = contents.frames.of(ids)
        self._ids = ids
        if contents.complaint:
            self.warnings.append(
                f"{path}: {contents.complaint}; the {self.frame_count} whole frames that were "
                "found are read"
            )

    @staticmethod
    def channels(contents: mcap_index.Contents) -> dict[str, tuple[set[int], str]]:
        """Return ids and message type of each topic's channels."""
        return protobuf_channels(contents)

    @property
    def frame_count(self) -> int:
        return len(self._table.offset)

    def frame(self, number: int) -> Frame:
        """Log time and message of frame ``number`` from 0. Raises IndexError, UserError."""
        if not 0 <= number < self.frame_count:
            raise IndexError(number)
        place, at = int(self._table.chunk[number]), int(self._table.offset[number])
        data = self._data.view if place == mcap_index.OUTSIDE else self._chunks.at(place)
        if at + mcap_index.MESSAGE.size > len(data):
            raise _damaged(self.path, number)
        opcode, length, channel, _, log_time, _ = mcap_index.MESSAGE.unpack_from(data, at)
        end = at + 9 + length
        start = at + mcap_index.MESSAGE.size
        if place == mcap_index.OUTSIDE:
            self._data.note_read(length)
        is_it = opcode == Opcode.MESSAGE and log_time == self._table.log_time[number]
        if not is_it or channel not in self._ids or not start <= end <= len(data):
            raise _damaged(self.path, number)
        return log_time, data[start:end]

    def frames(self, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        last = self.frame_count if stop is None else min(stop, self.frame_count)
        for number in range(start, last):
            yield self.frame(number)

    def close(self) -> None:
        self._chunks.clear()
        self._data.close()

    def _chosen(self, topic: str | None, contents: mcap_index.Contents) -> str:
        path, topics = self.path, self.topics
        kind = self.what.removesuffix(" in Protobuf")
        if not topics:
            others = [
                shown(f"{c.topic}: {c.message_encoding or 'no encoding'} {_schema(contents, c)}")
                for c in contents.channels.values()
            ]
            raise UserError(
                f"{path}: holds no {self.what} "
                f"({'; '.join(others[:3]) or contents.complaint or 'no channel at all'}); "
                f"{self.remedy}"
            )
        if topic is None:
            if len(topics) > 1:
                raise UserError(f"{path}: has several {kind}s; choose --topic {_or(topics)}")
            return topics[0]
        if topic not in topics:
            raise UserError(f"{path}: has no {kind} {shown(topic)}; choose --topic {_or(topics)}")
        return topic


class McapTrace(McapChannel):
    """The frames of one OSI channel."""

    what = "OSI channel in Protobuf"
    remedy = "convert its messages to osi3 Protobuf first"

    @staticmethod
    def channels(contents: mcap_index.Contents) -> dict[str, tuple[set[int], str]]:
        return osi_channels(contents)


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
        try:
            chunk = mcap_index.chunk_at(self._data.view, place)
        except mcap_index.UnknownCompressionError as error:
            raise UserError(f"{self._path}: its chunks are {error}") from error
        except mcap_index.DAMAGE as error:
            raise UserError(
                f"{self._path}: the chunk at byte {place} is damaged ({shown(error)}); record the "
                "trace again"
            ) from error
        self._kept[place] = chunk
        self._data.note_read(len(chunk))
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > CACHED:
            self._kept.popitem(last=False)
        return chunk

    def clear(self) -> None:
        self._kept.clear()


def channels_of(
    contents: mcap_index.Contents, encodings: Container[tuple[str, str]]
) -> dict[str, tuple[set[int], str]]:
    """Return ids and message type of each topic's channels of these encodings.

    ``encodings``: pairs of the messages' and their schema's.
    """
    topics: dict[str, tuple[set[int], str]] = {}
    for channel in contents.channels.values():
        schema = contents.schemas.get(channel.schema_id)
        if schema is None or (channel.message_encoding, schema.encoding) not in encodings:
            continue
        ids, first = topics.setdefault(channel.topic, (set(), schema.name))
        if first == schema.name:
            ids.add(channel.id)
    return topics


def protobuf_channels(contents: mcap_index.Contents) -> dict[str, tuple[set[int], str]]:
    """Return the same for all in Protobuf."""
    return channels_of(contents, {("protobuf", "protobuf")})


def osi_channels(contents: mcap_index.Contents) -> dict[str, tuple[set[int], str]]:
    """Return the same for OSI's; their types without the package."""
    osi = {f"osi3.{name}": name for name in TYPES.values()}
    return {
        topic: (ids, osi[name])
        for topic, (ids, name) in protobuf_channels(contents).items()
        if name in osi
    }


def _schema(contents: mcap_index.Contents, channel: Channel) -> str:
    schema = contents.schemas.get(channel.schema_id)
    return schema.name if schema is not None else ""


def _or(topics: tuple[str, ...]) -> str:
    return " or ".join(map(shell_line, topics[:8]))


def _damaged(path: Path, number: int) -> UserError:
    return UserError(
        f"{path}: its index has no message for frame {number}; `mcap recover` makes a new one"
    )


def static_topics(path: Path, topic: str | None) -> tuple[str | None, str | None]:
    """Return the topic of a file's frames and that of their static data; None where unknown.

    ``topic``: the one that is asked for.
    """
    data = Mapped(path)
    try:
        topics = osi_channels(mcap_index.read_contents(data.view, data.noting(silent)))
    except mcap_index.DAMAGE:
        return topic, None  # opening it says so
    finally:
        data.close()
    pairs = {name: name + STATIC_TOPIC for name in topics if name + STATIC_TOPIC in topics}
    if topic is None and len(pairs) == 1:
        (topic,) = pairs
    return topic, pairs.get(topic or "")
