# SPDX-License-Identifier: Apache-2.0
"""A recording of any kind: its topics, and their messages by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wirecost.data.messages.subject import Subject
from wirecost.data.recordings import dropped, formats
from wirecost.data.recordings.blocks import (
    ALL_TIMES,
    MessageBlock,
    MessageRun,
    Window,
    blocks,
    runs,
)
from wirecost.data.recordings.clock import FASTEST_HZ, per_second
from wirecost.data.recordings.connection import (
    JSON,
    WIRES,
    RecordedConnection,
    RecordedMessage,
    RecordingPart,
)
from wirecost.data.recordings.offered import KEY, offered_words
from wirecost.system.closing import Closing
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line, shown

MOST_LISTED = 8


@dataclass(frozen=True)
class ConnectionGroup:
    """The connections of a topic, of any file, that say the same of their messages."""

    first: RecordedConnection
    members: dict[int, set[int]] = field(default_factory=dict)
    """Numbers of connections by that of their file."""
    count: int = 0


def is_recording(path: Path) -> bool:
    """Return whether a file or folder is a recording, by its name."""
    return bool(formats.format_of(path))


class Recording(Closing):
    """Raises UserError where it cannot be opened."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise UserError(f"{path}: no such file or folder; name a recording")
        self.path = path
        self.file_number = 0
        """Number of the file that ``each`` reads."""
        self._files = formats.open_files(path)
        self._parts = self._files.parts
        self.warnings = list(self._files.warnings)
        for part in self._parts:
            self.warnings += [warning.removeprefix(f"{part.path}: ") for warning in part.warnings]
        self.dropped: dropped.Dropped = Counter()
        """Messages by topic that fell out of the cache of ``wirecost record``, as it says."""
        for part in self._parts:
            self.dropped += dropped.of_metadata(getattr(part, "dropped", ()))
        if self.dropped:
            self.warnings.append(dropped.sentence(self.dropped))
        self.opening_warnings = tuple(self.warnings)
        """Sentences on what its files lack, known before a message is read."""
        self.types: dict[object, tuple[Subject, str]] = {}
        """Types that ``described`` has read, and what it took from elsewhere for each."""

    def close(self) -> None:
        for part in self._parts:
            part.close()

    def about(self, connection: RecordedConnection) -> dict[str, str]:
        """Return what is stated of a connection, by the keys of MCAP's channels."""
        offered = self._files.offered.get(connection.topic, "")
        return ({KEY: offered} if offered else {}) | dict(connection.about)

    def qos(self, connection: RecordedConnection) -> str:
        """Return what is known of what a connection's publishers offered; empty: nothing."""
        return offered_words(self.about(connection).get(KEY, ""))

    def groups(
        self, topic: str, has_schema: bool, with_json: bool = False
    ) -> list[ConnectionGroup]:
        """Return the readable connections of a topic, empty for the only one. Raises UserError.

        They can be read by their own definition, or by any where ``has_schema``; JSON
        ``with_json``. Connections without messages are left out. UserError also where there is no
        such connection.
        """

        def is_usable(connection: RecordedConnection) -> bool:
            return _usable(connection, has_schema) or (with_json and connection.wire == JSON)

        every = self.connections
        usable = [connection for connection in every if is_usable(connection)]
        topic = self._topic(topic, every, usable, [*WIRES, *([JSON] if with_json else [])])
        groups: dict[object, ConnectionGroup] = {}
        for number, part in enumerate(self._parts):
            for connection in part.connections:
                if connection.topic != topic or not connection.count or not is_usable(connection):
                    continue
                digest = "" if connection.definition else connection.digest
                key = (
                    connection.type,
                    connection.wire,
                    connection.encoding,
                    connection.definition,
                    digest,
                )
                group = groups.get(key, ConnectionGroup(connection))
                group.members.setdefault(number, set()).add(connection.number)
                groups[key] = ConnectionGroup(
                    group.first, group.members, group.count + connection.count
                )
        if not groups:
            raise UserError(f"{self.path}: topic {shown(topic)} has no messages; choose another")
        self._compare_count(
            topic, sum(connection.count for connection in every if connection.topic == topic)
        )
        return list(groups.values())

    def unusable(self, topic: str, has_schema: bool) -> list[RecordedConnection]:
        """Return the connections of a topic that have messages which cannot be read."""
        return [
            connection
            for part in self._parts
            for connection in part.connections
            if connection.topic == topic
            and connection.count
            and not _usable(connection, has_schema)
        ]

    def messages(self, groups: Collection[ConnectionGroup], wanted: Sequence[int]) -> list[bytes]:
        """Return messages of all these groups by their numbers, ascending. Raises UserError."""
        messages: list[bytes] = []
        before = 0
        for number, part in enumerate(self._parts):
            members = set().union(*(group.members.get(number, ()) for group in groups))
            count = sum(
                connection.count for connection in part.connections if connection.number in members
            )
            inside = [number - before for number in wanted if before <= number < before + count]
            messages += part.messages(members, inside)
            before += count
        return messages

    @property
    def connections(self) -> list[RecordedConnection]:
        """Connections of all its files."""
        return [connection for part in self._parts for connection in part.connections]

    @property
    def count(self) -> int:
        """Number of messages that its files say they have."""
        return sum(connection.count for connection in self.connections)

    def runs(self) -> Iterator[tuple[dict[int, RecordedConnection], MessageRun]]:
        """Yield every message of every file, many at once, and a file's connections by number.

        What cannot be read is a warning.
        """
        for number, part in enumerate(self._parts):
            self.file_number = number
            connections = {connection.number: connection for connection in part.connections}
            lost = 0
            with self._noting(part):
                for run in runs(part):
                    is_known = np.isin(run.connections, list(connections))
                    lost += len(is_known) - int(is_known.sum())
                    yield connections, run if is_known.all() else run.only(is_known)
            if lost:
                self.warnings.append(_undescribed(lost))

    def each(self) -> Iterator[tuple[RecordedConnection, RecordedMessage]]:
        """Yield every message of every file, as long as it can be read; the rest is a warning."""
        for number, part in enumerate(self._parts):
            self.file_number = number
            connections = {connection.number: connection for connection in part.connections}
            lost = 0
            with self._noting(part):
                for message in part.each():
                    connection = connections.get(message.connection)
                    if connection is None:
                        lost += 1
                    else:
                        yield connection, message
            if lost:
                self.warnings.append(_undescribed(lost))

    def blocks(
        self, topics: Sequence[Collection[ConnectionGroup]], window: Window = ALL_TIMES
    ) -> Iterator[MessageBlock]:
        """Yield the messages of topics in blocks, file by file; what is lost is a warning."""
        for number, part in enumerate(self._parts):
            members: list[set[int]] = [
                set().union(*(group.members.get(number, ()) for group in groups))
                for groups in topics
            ]
            if any(members):
                with self._noting(part):
                    yield from blocks(part, members, window)

    @contextmanager
    def _noting(self, part: RecordingPart) -> Iterator[None]:
        """Make a warning of what ends the reading of a file, and of what this warns of."""
        warned = len(part.warnings)
        try:
            yield
        except UserError as error:
            self.warnings.append(str(error).removeprefix(f"{part.path}: "))
        self.warnings += [
            warning.removeprefix(f"{part.path}: ") for warning in part.warnings[warned:]
        ]

    @property
    def begin_ns(self) -> int:
        """Time of its first message. Raises UserError."""
        begins = [
            part.span_ns([each.number for each in part.connections if each.count])[0]
            for part in self._parts
            if any(connection.count for connection in part.connections)
        ]
        return min(begins, default=0)

    def rate_hz(self, groups: Collection[ConnectionGroup]) -> float | None:
        """Return how many messages of these groups came in a second, on the mean.

        None where their times tell none: they are the same, or nearly.
        """
        members: dict[int, set[int]] = {}
        for group in groups:
            for number, ids in group.members.items():
                members.setdefault(number, set()).update(ids)
        spans = [self._parts[number].span_ns(ids) for number, ids in members.items()]
        taken_ns = max(last for _, last in spans) - min(first for first, _ in spans)
        rate = per_second(sum(group.count for group in groups) - 1, taken_ns)
        return rate if rate is not None and rate <= FASTEST_HZ else None

    def _topic(
        self,
        topic: str,
        every: list[RecordedConnection],
        usable: list[RecordedConnection],
        wires: Sequence[str],
    ) -> str:
        topics = list(dict.fromkeys(connection.topic for connection in usable))
        if not every:
            raise UserError(f"{self.path}: holds no channel at all; name another recording")
        if not any(connection.count for connection in every):
            raise UserError(f"{self.path}: holds no message on any topic; name another recording")
        if topic in topics:
            return topic
        of_topic = (
            [connection for connection in every if connection.topic == topic] if topic else []
        )
        if of_topic or not topics:
            raise self._not_described(of_topic or every, wires)
        topics = (
            list(dict.fromkeys(connection.topic for connection in usable if connection.count))
            or topics
        )
        listed = " or ".join(shell_line(name) for name in topics[:MOST_LISTED])
        if topic:
            raise UserError(f"{self.path}: has no topic {shown(topic)}; choose --topic {listed}")
        if len(topics) > 1:
            raise UserError(
                f"{self.path}: has several topics; choose --topic {listed}, or see what each "
                f"costs: `{shell_line('wirecost', 'cost', self.path)}`"
            )
        return topics[0]

    def _not_described(
        self, connections: list[RecordedConnection], wires: Sequence[str]
    ) -> UserError:
        """Return the error: what is there, and what can be done."""
        listed = "; ".join(shown(str(connection), 120) for connection in connections[:3])
        remedy = "name another recording"
        for connection in connections:
            if connection.is_readable:
                kind = "its .proto" if connection.wire == "protobuf" else "a .msg file of its type"
                remedy = f"name {kind} as well"
        return UserError(
            f"{self.path}: holds no channel in {', '.join(wires)} with a schema that is known "
            f"({listed}); {remedy}"
        )

    def _compare_count(self, topic: str, count: int) -> None:
        said = self._files.counts.get(topic, count)
        if said != count:
            self.warnings.append(
                f"its {self._files.index} says {said:,} where the files have "
                f"{counted(count, 'message')}"
            )


def _undescribed(count: int) -> str:
    return f"{counted(count, 'message')} of no channel that it describes"


def _usable(connection: RecordedConnection, has_schema: bool) -> bool:
    return connection.is_readable if has_schema else connection.is_described
