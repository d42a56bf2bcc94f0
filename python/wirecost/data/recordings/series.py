# SPDX-License-Identifier: Apache-2.0
"""Times and numbers of all messages of a recording, topic by topic, read in one pass."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wirecost.data.messages.numbers import (
    MessageNumbers,
    NumberField,
    is_of_stamp,
    numbers_of,
    stamp_fields,
)
from wirecost.data.recordings.clock import RecordingClock
from wirecost.data.recordings.connection import CALLER, RecordedConnection, RecordedMessage
from wirecost.data.recordings.recording import Recording
from wirecost.data.recordings.survey import SAID_EVERY, Progress, SubjectCache, TopicSurvey
from wirecost.system.errors import UserError

TRIED = 64
"""Messages by which the counter among a topic's numbers is found."""
ROS1_SEQUENCE = "header.seq"
"""Number that ROS 1's publisher gives each message whose first field is a header."""
MCAP_SEQUENCE, MCAP_BITS = "sequence", 32
STAMPED, PUBLISHED = "header stamp", "publish time"
FILE_WIDE = 0.9
"""Share of steps between topics in which a number grows that counts the messages of a file."""

Column = npt.NDArray[np.int64]


@dataclass(eq=False)
class TopicSeries:
    """Messages of a publisher of a topic, in the order of the recording.

    ``numbered``: what numbers them, empty where nothing does, and ``bits`` of that number;
    ``stamped``: whose times ``stamps`` are, else empty; ``parts``: of the recording's clock;
    ``files``: by number.
    """

    topic: str
    publisher: str
    wire: str
    times: Column
    parts: Column
    files: Column
    numbered: str = ""
    bits: int = 64
    numbers: Column = field(default_factory=lambda: np.zeros(0, np.int64))
    stamped: str = ""
    stamps: Column = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass(eq=False)
class RecordingSeries:
    """Topics of recordings that follow each other; ``jumps``: of their clock, and pauses."""

    topics: list[TopicSeries] = field(default_factory=list)
    jumps: int = 0
    files: int = 0
    warnings: list[str] = field(default_factory=list)
    is_whole: bool = True


def read_series(
    paths: Sequence[Path], include: Sequence[Path], progress: Progress
) -> RecordingSeries:
    """Read the files of a recording, from front to back. Raises UserError.

    Interrupted, it returns what was read until then.
    """
    result, clock, subjects = RecordingSeries(), RecordingClock(), SubjectCache(include)
    by_key: dict[tuple[str, ...], _Reading] = {}
    order = _FileOrder()
    for path in paths:
        with Recording(path) as recording:
            total = recording.count
            here: dict[int, _Reading] = {}
            first_file = result.files
            try:
                for done, (connection, message) in enumerate(recording.each()):
                    reading = here.get(id(connection))
                    if reading is None:
                        reading = _Reading(connection)
                        key = (reading.topic, reading.publisher, connection.type, connection.wire)
                        reading = by_key.setdefault(key, reading)
                        here[id(connection)] = reading
                    if reading.wants_type:
                        reading.describe(path, message, subjects)
                    order.note(reading, message.sequence)
                    result.files = first_file + recording.file_number
                    reading.add(message, clock.part(message.time_ns), result.files)
                    if done % SAID_EVERY == 0:
                        progress(done, max(total, 1), f"reading {path.name}")
            except KeyboardInterrupt:
                result.is_whole = False
            result.files += 1
            result.warnings += [f"{path.name}: {warning}" for warning in recording.warnings]
        if not result.is_whole:
            break
    result.topics = [reading.series(order.is_of_file) for reading in by_key.values()]
    result.jumps = clock.jumps
    return result


class _FileOrder:
    """Tells whether MCAP's numbers count the messages of the file, and not those of a channel."""

    def __init__(self) -> None:
        self._steps = self._up = 0
        self._last: tuple[object, int] = (None, 0)

    def note(self, topic: object, number: int | None) -> None:
        if number is None:
            return
        last_topic, last = self._last
        if last_topic is not None and last_topic is not topic:
            self._steps += 1
            self._up += number > last
        self._last = (topic, number)

    @property
    def is_of_file(self) -> bool:
        return self._steps > 1 and self._up >= FILE_WIDE * self._steps


class _Reading:
    """Columns of a topic while it is read."""

    def __init__(self, connection: RecordedConnection) -> None:
        self.topic, self.wire = connection.topic, connection.wire
        self.publisher = connection.about.get(CALLER, "")
        self.wants_type = True
        self._connection = connection
        self._numbers: MessageNumbers | None = None
        self._times, self._published, self._stamps = array("q"), array("q"), array("q")
        self._parts, self._files = array("q"), array("q")
        self._sequence, self._counter = array("q"), array("q")
        self._tried: list[list[int] | None] = []
        self._counted: NumberField | None = None
        self._stamp: tuple[int, int] | None = None
        self._place: int | None = None

    def describe(self, path: Path, message: RecordedMessage, subjects: SubjectCache) -> None:
        """Find what numbers the type has, by its definition."""
        self.wants_type = False
        topic = TopicSurvey(self._connection)
        topic.sample[0] = bytes(message.data)
        subjects.describe(path, topic)
        if topic.subject is not None and self._connection.is_readable:
            try:
                self._numbers = numbers_of(topic.subject, self._connection.wire)
            except UserError:
                return

    def add(self, message: RecordedMessage, part: int, file: int) -> None:
        self._times.append(_signed(message.time_ns))
        self._parts.append(part)
        self._files.append(file)
        published = message.time_ns if message.publish_ns is None else message.publish_ns
        self._published.append(_signed(published))
        self._sequence.append(message.sequence or 0)
        if self._numbers is None:
            return
        values = self._numbers.read(message.data)
        if len(self._times) <= TRIED:
            self._tried.append(values)
            if len(self._times) == TRIED:
                self._choose()
        else:
            self._note(values)

    def _choose(self) -> None:
        """Find the counter and the stamp among the numbers, and read these alone from now on."""
        assert self._numbers is not None
        fields = self._numbers.fields
        read = [values for values in self._tried if values is not None]
        self._counted = _counter(fields, read, self.wire)
        stamp = stamp_fields(fields)
        paths = {*(stamp or ()), *([self._counted.path] if self._counted else [])}
        tried, every = self._tried, [number.path for number in fields]
        self._tried = []
        self._numbers = self._numbers.only(paths)
        kept = [number.path for number in self._numbers.fields]
        self._place = kept.index(self._counted.path) if self._counted else None
        self._stamp = (kept.index(stamp[0]), kept.index(stamp[1])) if stamp else None
        places = [every.index(path) for path in kept]
        for values in tried:
            self._note(None if values is None else [values[place] for place in places])

    def _note(self, values: list[int] | None) -> None:
        """Keep a message's counter and stamp; 0 where it has none."""
        counter = values[self._place] if values is not None and self._place is not None else 0
        self._counter.append(_signed(counter))
        stamp_ns = 0
        if values is not None and self._stamp is not None:
            stamp_ns = values[self._stamp[0]] * 10**9 + values[self._stamp[1]]
        self._stamps.append(_signed(stamp_ns))

    def series(self, is_of_file: bool) -> TopicSeries:
        """Return the columns; ``is_of_file``: MCAP's numbers are not the topic's."""
        if self._numbers is not None and self._tried:
            self._choose()
        times, parts, files = map(np.asarray, (self._times, self._parts, self._files))
        series = TopicSeries(self.topic, self.publisher, self.wire, times, parts, files)
        if self._counted is not None:
            series.numbered, series.bits = self._counted.path, self._counted.bits
            series.numbers = np.asarray(self._counter)
        elif not is_of_file and any(self._sequence):
            series.numbered, series.bits = MCAP_SEQUENCE, MCAP_BITS
            series.numbers = np.asarray(self._sequence)
        if self._published != self._times:
            series.stamped, series.stamps = PUBLISHED, np.asarray(self._published)
        elif self._stamp is not None and any(self._stamps):
            series.stamped, series.stamps = STAMPED, np.asarray(self._stamps)
        return series


def _counter(fields: list[NumberField], read: list[list[int]], wire: str) -> NumberField | None:
    """Return the number that grows by one with most messages, None where none does."""
    for place, number in enumerate(fields):
        column = [values[place] for values in read]
        steps = [(after - before) % (1 << number.bits) for before, after in pairwise(column)]
        if wire == "ros1" and number.path == ROS1_SEQUENCE and place == 0 and any(steps):
            return number
        if not is_of_stamp(number.path) and 2 * steps.count(1) > len(steps) > 1:
            return number
    return None


def _signed(value: int) -> int:
    """Return a number as a column holds it, in 64 bits with a sign."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
