# SPDX-License-Identifier: Apache-2.0
"""A channel of a recording, and a file that has several."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

WIRES = {"protobuf": "protobuf", "ros1": "ros1", "cdr": "ros2"}
"""Encodings of messages that are read, and the dialect of their definitions."""
JSON = "json"
"""Encoding of messages that are read as columns alone, whatever is known of their type."""
DIALECTS = {"ros1msg": "ros1", "ros2msg": "ros2", "ros2idl": "ros2"}
"""Dialects of ROS, by the encoding of the definition."""
NONE = ("", "unknown")
"""Encodings of definitions that are not there; rosbag2 writes ``unknown``."""

DIGEST = "topic_type_hash"
"""Key of a type's digest beside an MCAP's channel."""
CALLER = "callerid"
"""Key of the publishing node's name beside a channel of ROS 1."""


@dataclass(frozen=True)
class RecordedConnection:
    """Messages of one definition on a topic.

    ``type``: as the recording has it; ``wire``: encoding of the messages; ``encoding``: of the
    definition; ``digest``: of the type, as ROS computes it, empty if none is there; ``about``: what
    else the recording states, by the keys of MCAP's channels, as what its publishers offered.
    """

    number: int
    topic: str
    type: str
    wire: str
    encoding: str
    definition: bytes
    count: int
    digest: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_described(self) -> bool:
        """True where the recording, or ROS, says of the type enough to read messages."""
        if not self.type:
            return False
        if self.wire == "protobuf":
            return self.encoding == "protobuf"
        dialect = WIRES.get(self.wire)
        return dialect is not None and DIALECTS.get(self.encoding, dialect) == dialect and (
            self.encoding in DIALECTS or self.encoding in NONE
        )  # fmt: skip

    @property
    def is_readable(self) -> bool:
        """True where messages can be read by a schema that somebody gives."""
        return self.wire in WIRES

    def __str__(self) -> str:
        wire = self.wire or "no encoding"
        if self.encoding in NONE:
            return f"{self.topic}: {wire} {self.type}, without a schema"
        return f"{self.topic}: {wire} {self.type} with a schema in {self.encoding}"


class RecordedMessage(NamedTuple):
    """A message in a file; ``connection``: its number there.

    ``sequence``: the number that its publisher or the recorder gave it, and ``publish_ns``: when it
    was published; None in formats that have neither.
    """

    connection: int
    time_ns: int
    data: bytes | memoryview
    sequence: int | None = None
    publish_ns: int | None = None


class RecordingPart(Protocol):
    """One file of a recording. Methods raise UserError."""

    path: Path
    connections: list[RecordedConnection]
    warnings: list[str]

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        """Return messages of these connections by their numbers, ascending, in order of time."""
        ...

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        """Return the times of the first and the last message of these connections."""
        ...

    def each(self) -> Iterator[RecordedMessage]:
        """Yield every message in the order of the file, as long as it can be read.

        What is lost on the way is noted in ``warnings``.
        """
        ...

    def close(self) -> None: ...


@dataclass
class RecordingFiles:
    """Opened files of a recording, and the statements of its index about them.

    ``counts``: of messages, ``offered``: QoS of publishers in YAML, both by topic; ``index``: the
    name of the file that states them.
    """

    parts: list[RecordingPart]
    counts: dict[str, int] = field(default_factory=dict)
    offered: dict[str, str] = field(default_factory=dict)
    index: str = ""
    warnings: list[str] = field(default_factory=list)
