# SPDX-License-Identifier: Apache-2.0
"""All messages of recordings, counted in one pass: rates, bytes, and a sample of each topic."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from wirecost.data.messages.anatomy import Anatomy, anatomy
from wirecost.data.messages.subject import Subject
from wirecost.data.recordings.blocks import MessageRun
from wirecost.data.recordings.clock import (
    Part,
    RecordingClock,
    TopicTimes,
    together_ns,
    without_outliers,
)
from wirecost.data.recordings.connection import JSON, NONE, RecordedConnection
from wirecost.data.recordings.described import (
    Sample,
    subject_of_connection,
)
from wirecost.data.recordings.kept import KeptMessages, Room
from wirecost.data.recordings.message_sizes import MessageSizes
from wirecost.data.recordings.recording import Recording
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

SAMPLED = 8
"""Most messages of a topic that are kept."""
SAMPLED_BYTES = 1 << 20
"""Bytes of a topic's kept messages; one is always kept."""
SAID_EVERY = 4096
"""Messages between two lines of progress."""

Progress = Callable[[int, int, str], None]


@dataclass(eq=False)
class TopicSurvey:
    """Messages of one definition on a topic.

    ``sizes``: of these; ``sample``: some of them, of any time; ``subject``: their type, None
    where ``unknown`` says why; ``publishers``, ``subscribers``: names of nodes, None where nobody
    says; ``watched_s``: seconds for which they were counted, None for the whole recording;
    ``missed``: messages of the count that were published and did not come, ``lost`` of them before
    they were received, if it ``is_numbered``; ``links``: publishers and subscribers, and whether
    their QoS fits.
    """

    connection: RecordedConnection
    sizes: MessageSizes = field(default_factory=MessageSizes)
    first_ns: int = 0
    last_ns: int = 0
    sample: KeptMessages = field(default_factory=KeptMessages)
    subject: Subject | None = None
    unknown: str = ""
    publishers: list[str] | None = None
    subscribers: list[str] | None = None
    qos: str = ""
    watched_s: float | None = None
    missed: int = 0
    lost: int = 0
    is_numbered: bool = False
    links: list[Mapping[str, Any]] = field(default_factory=list)
    times: TopicTimes = field(default_factory=TopicTimes)

    @property
    def count(self) -> int:
        return self.sizes.count

    @property
    def byte_count(self) -> int:
        """Bytes of all messages."""
        return self.sizes.total

    @cached_property
    def parts(self) -> Anatomy | None:
        """Parts of the mean message, as far as the sample tells; None where it is not read."""
        if self.subject is None or not self.count:
            return None
        return anatomy(self.subject, self.sample.values(), self.byte_count / self.count)

    def whole_messages(self) -> Iterator[Any]:
        """Yield those messages of the sample that can be read, as Google's classes."""
        for data in self.sample.values() if self.subject is not None else ():
            try:
                assert self.subject is not None
                yield self.subject.read(data, self.connection.wire)
            except (DecodeError, UserError, ValueError):
                continue

    def note(self, time_ns: int, size: int, part: object = 0) -> None:
        """Count a message; ``part``: of the recording, between two jumps of its clock."""
        self.times.note(time_ns, part)
        if not self.count:
            self.first_ns = self.last_ns = time_ns
        elif time_ns > self.last_ns:
            self.last_ns = time_ns
        elif time_ns < self.first_ns:
            self.first_ns = time_ns
        self.sizes.append(size)

    def note_all(self, path: Path, run: MessageRun, parts: npt.NDArray[np.int64]) -> None:
        """Count messages of a recording."""
        low_ns, high_ns = int(run.times.min()), int(run.times.max())
        self.first_ns = min(low_ns, self.first_ns) if self.count else low_ns
        self.last_ns = max(high_ns, self.last_ns) if self.count else high_ns
        self.times.note_all(path, run.times, parts)
        self.sizes.add(run.sizes)

    def keep(self, place: int, data: bytes) -> None:
        """Take a message into the sample, if there is room."""
        others = self.sample.byte_count - self.sample.size(place)
        if not others or others + len(data) <= SAMPLED_BYTES:
            self.sample[place] = data


@dataclass(eq=False)
class RecordingSurvey:
    """Topics of all recordings; ``duration_s``: of these, without pauses and jumps of a clock.

    ``begin_ns``: time of the first message, other than those before a jump to most others.
    """

    topics: list[TopicSurvey] = field(default_factory=list)
    duration_s: float = 0.0
    begin_ns: int = 0
    warnings: list[str] = field(default_factory=list)
    is_whole: bool = True
    """False where it was interrupted."""


def survey(
    paths: Sequence[Path], include: Sequence[Path], progress: Progress, seed: int = 1
) -> RecordingSurvey:
    """Read recordings once, from front to back. Raises UserError where one cannot be opened.

    Interrupted, it returns what was read until then.
    """
    random = Random(seed)
    result = RecordingSurvey()
    by_key: dict[tuple[str, ...], TopicSurvey] = {}
    subjects, room = SubjectCache(include), Room()
    parts: list[Part] = []
    for path in paths:
        with Recording(path) as recording:
            total = recording.count
            here: dict[int, TopicSurvey] = {}
            clock = RecordingClock()
            try:
                done = 0
                for connections, run in recording.runs():
                    progress(done, max(total, 1), f"reading {path.name}")
                    done += len(run.times)
                    numbers, firsts = np.unique(run.connections, return_index=True)
                    for first in sorted(firsts.tolist()):
                        connection = connections[int(run.connections[first])]
                        if id(connection) in here:
                            continue
                        new = TopicSurvey(connection, sample=KeptMessages(room))
                        topic = by_key.setdefault(_key(connection), new)
                        if offered := recording.qos(connection):
                            words = {*filter(None, topic.qos.split(", ")), *offered.split(", ")}
                            topic.qos = ", ".join(sorted(words))
                        here[id(connection)] = topic
                    of = {number: here[id(connections[number])] for number in numbers.tolist()}
                    _add(path, run, clock.parts_of(run.times), of, random)
            except KeyboardInterrupt:
                result.is_whole = False
            usual = without_outliers(clock.parts)
            parts += usual
            for topic in dict.fromkeys(here.values()):
                topic.times.watched_ns += together_ns(usual)
                subjects.describe(path, topic)
            if clock.jumps:
                jumps = counted(clock.jumps, "time", "times")
                result.warnings.append(
                    f"{path.name}: its clock jumps or pauses {jumps}; the rates leave this out"
                )
            result.warnings += [f"{path.name}: {warning}" for warning in recording.warnings]
        if not result.is_whole:
            break
    result.topics = list(by_key.values())
    result.duration_s = together_ns(parts) / 1e9
    begins_ns = [part.low_ns for part in parts] or [topic.first_ns for topic in result.topics]
    result.begin_ns = min(begins_ns, default=0)
    return result


def _add(
    path: Path,
    run: MessageRun,
    parts: npt.NDArray[np.int64],
    topics: Mapping[int, TopicSurvey],
    random: Random,
) -> None:
    """Count messages; each has the same chance to be in its topic's sample, wherever it stands.

    ``topics``: by the numbers of connections.
    """
    counts = np.zeros(len(parts), np.int64)
    for topic in dict.fromkeys(topics.values()):
        mine = [number for number, other in topics.items() if other is topic]
        is_mine = np.isin(run.connections, mine)
        counts[is_mine] = topic.count + 1 + np.arange(int(is_mine.sum()))
        topic.note_all(path, run.only(is_mine), parts[is_mine])
    places = counts - 1
    is_drawn = counts > SAMPLED
    draws = _uniform(random, int(is_drawn.sum()))
    places[is_drawn] = (draws * counts[is_drawn]).astype(np.int64)
    for number in np.flatnonzero(places < SAMPLED).tolist():
        topics[int(run.connections[number])].keep(int(places[number]), run.data(number))


def _uniform(random: Random, count: int) -> npt.NDArray[np.float64]:
    """Return what as many calls of ``random.random`` would."""
    words = np.frombuffer(random.randbytes(8 * count), "<u4").reshape(-1, 2)
    return ((words[:, 0] >> 5) * float(1 << 26) + (words[:, 1] >> 6)) / float(1 << 53)


def _key(connection: RecordedConnection) -> tuple[str, ...]:
    """Return what tells definitions apart: of a long text a digest, as many topics may have it."""
    definition = connection.digest
    if connection.definition:
        definition = hashlib.sha256(connection.definition).hexdigest()
    return (connection.topic, connection.type, connection.wire, connection.encoding, definition)


class SubjectCache:
    """Types of topics, each read once; ``include``: folders with definitions."""

    def __init__(self, include: Sequence[Path]) -> None:
        self._include = include
        self._found: dict[tuple[str, ...], Subject | str] = {}

    def describe(self, path: Path, topic: TopicSurvey) -> None:
        """Set a topic's type, or why there is none."""
        if topic.subject is not None or topic.unknown:
            return
        connection = topic.connection
        key = _key(connection)[1:]
        if key not in self._found:
            source = Sample(path, list(topic.sample.values()))
            try:
                self._found[key] = subject_of_connection(source, connection, self._include)
            except UserError as error:
                self._found[key] = _reason(connection, error)
        described = self._found[key]
        if isinstance(described, str):
            topic.unknown = described
        else:
            topic.subject = described


def _reason(connection: RecordedConnection, error: UserError) -> str:
    """Return in a few words why messages cannot be read."""
    if not connection.is_readable:
        what = "prices" if connection.wire == JSON else "reader"
        return f"no {what} of {shown(connection.wire or 'no encoding')}"
    if connection.encoding in NONE and not connection.definition:
        return "no definition; -I DIR finds it"
    return shown(str(error).removeprefix(f"{connection.topic}: "), 120)
