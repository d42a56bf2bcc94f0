# SPDX-License-Identifier: Apache-2.0
"""Times and numbers of all messages of a recording, topic by topic, read in one pass."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wirecost.data.messages.numbers import (
    MessageNumbers,
    NumberField,
    Numbers,
    numbers_of,
    stamp_fields,
)
from wirecost.data.messages.subject import Subject
from wirecost.data.recordings.clock import RecordingClock
from wirecost.data.recordings.connection import CALLER, RecordedConnection, RecordedMessage
from wirecost.data.recordings.dropped import EVENT, Dropped, of_event, sentence
from wirecost.data.recordings.mcap.recorders import RECORD, ROSBAG2
from wirecost.data.recordings.recording import Recording
from wirecost.data.recordings.survey import SAID_EVERY, Progress, SubjectCache, TopicSurvey
from wirecost.system.foreign import shown

MOST_MESSAGES = 1 << 24
"""Messages of a topic that are looked at: 46 hours at 100 Hz."""
TRIED = 64
"""Messages by which the counter among a topic's numbers is found."""
ROS1_SEQUENCE = "header.seq"
"""Number that ROS 1's publisher gives each message whose first field is a header."""
MCAP_SEQUENCE, MCAP_BITS = "sequence", 32
STAMPED, PUBLISHED = "stamp", "publish time"
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
    """Topics of recordings that follow each other.

    ``jumps``: of their clock, and pauses; ``dropped``: messages by topic that fell out of the
    cache of ``recorder``, as it says.
    """

    topics: list[TopicSeries] = field(default_factory=list)
    jumps: int = 0
    files: int = 0
    warnings: list[str] = field(default_factory=list)
    is_whole: bool = True
    dropped: Dropped = field(default_factory=Counter)
    recorder: str = ""


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
                    if not reading.is_described:
                        reading.describe(path, message, subjects)
                    order.note(reading, message.sequence)
                    result.files = first_file + recording.file_number
                    if connection.type == EVENT:
                        result.dropped += of_event(bytes(message.data))
                        result.recorder = ROSBAG2
                    reading.add(message, clock.part(message.time_ns), result.files)
                    if done % SAID_EVERY == 0:
                        progress(done, max(total, 1), f"reading {path.name}")
            except KeyboardInterrupt:
                result.is_whole = False
            result.files += 1
            if recording.dropped:
                result.dropped += recording.dropped
                result.recorder = RECORD
            known = sentence(recording.dropped)
            result.warnings += [
                f"{path.name}: {warning}" for warning in recording.warnings if warning != known
            ]
        if not result.is_whole:
            break
    result.warnings += [
        f"{shown(reading.topic)}: only its first {MOST_MESSAGES:,} messages are looked at"
        for reading in by_key.values()
        if reading.is_full
    ]
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
        self.is_described = False
        self._connection = connection
        self._subject: Subject | None = None
        self._numbers: MessageNumbers | None = None
        self._times, self._parts, self._files = array("q"), array("I"), array("I")
        # These have as many as the times, or none.
        self._sequence, self._published = array("I"), array("q")
        self._counter, self._stamps = array("q"), array("q")
        self.is_full = False
        self._tried: list[Numbers] = []
        self._counted: NumberField | None = None
        self._counter_at: int | None = None
        self._stamp_at: list[int] = []

    def describe(self, path: Path, message: RecordedMessage, subjects: SubjectCache) -> None:
        """Find what numbers the type has, by its definition."""
        self.is_described = True
        topic = TopicSurvey(self._connection)
        topic.sample[0] = bytes(message.data)
        subjects.describe(path, topic)
        self._subject = topic.subject
        if self._subject is not None:
            self._numbers = numbers_of(self._subject, self.wire)

    def add(self, message: RecordedMessage, part: int, file: int) -> None:
        if len(self._times) == MOST_MESSAGES:
            self.is_full = True
            return
        if self._sequence or message.sequence:
            self._sequence.extend([0] * (len(self._times) - len(self._sequence)))
            self._sequence.append(message.sequence or 0)
        published = message.time_ns if message.publish_ns is None else message.publish_ns
        if self._published or published != message.time_ns:
            self._published.extend(self._times[len(self._published) :])
            self._published.append(_signed(published))
        self._times.append(_signed(message.time_ns))
        self._parts.append(part)
        self._files.append(file)
        if self._numbers is None:
            return
        values = self._numbers.read(message.data)
        if len(self._times) > TRIED:
            self._note(values)
            return
        self._tried.append(values)
        if len(self._times) == TRIED:
            self._choose()

    def _choose(self) -> None:
        """Find the counter and the stamp among the numbers, and read these alone from now on."""
        assert self._numbers is not None and self._subject is not None
        every = [number.path for number in self._numbers.fields]
        self._counted = _counter(self._numbers.fields, list(filter(None, self._tried)), self.wire)
        counter = (self._counted.path,) if self._counted is not None else ()
        stamp = stamp_fields(self._numbers.fields) or ()
        self._numbers = numbers_of(self._subject, self.wire, {*counter, *stamp})
        paths = [number.path for number in self._numbers.fields]
        self._counter_at = paths.index(*counter) if counter else None
        self._stamp_at = [paths.index(path) for path in stamp]
        tried, self._tried = self._tried, []
        if not paths:
            self._numbers = None
            return
        for values in tried:
            self._note(values and [values[every.index(path)] for path in paths])

    def _note(self, values: Numbers) -> None:
        """Keep a message's counter and stamp; one that cannot be read goes on as those before."""
        counter = self._counter[-1] + 1 if self._counter else 0
        stamp_ns = self._stamps[-1] if self._stamps else 0
        if values and self._counter_at is not None:
            counter = values[self._counter_at]
        if values and self._stamp_at:
            seconds, nanoseconds = (values[at] for at in self._stamp_at)
            stamp_ns = seconds * 10**9 + nanoseconds
        self._counter.append(_signed(counter))
        self._stamps.append(_signed(stamp_ns))

    def series(self, is_of_file: bool) -> TopicSeries:
        """Return the columns; ``is_of_file``: MCAP's numbers are not the topic's."""
        if self._tried:
            self._choose()
        times, parts, files, sequence, published, counter, stamps = (
            np.asarray(column, np.int64)
            for column in (
                self._times, self._parts, self._files,
                self._sequence, self._published, self._counter, self._stamps,
            )
        )  # fmt: skip
        series = TopicSeries(self.topic, self.publisher, self.wire, times, parts, files)
        if self._counted is not None:
            series.numbered, series.bits = self._counted.path, self._counted.bits
            series.numbers = counter
        elif not is_of_file and len(sequence):
            series.numbered, series.bits, series.numbers = MCAP_SEQUENCE, MCAP_BITS, sequence
        if len(published):
            series.stamped, series.stamps = PUBLISHED, published
        elif stamps.any():
            series.stamped, series.stamps = STAMPED, stamps
        return series


def _counter(fields: list[NumberField], read: list[list[int]], wire: str) -> NumberField | None:
    """Return the number that grows by one with most messages, None where none does."""
    for place, number in enumerate(fields):
        column = [values[place] for values in read]
        steps = [(after - before) % (1 << number.bits) for before, after in pairwise(column)]
        if wire == "ros1" and number.path == ROS1_SEQUENCE and place == 0 and any(steps):
            return number
        if not number.is_of_time and 2 * steps.count(1) > len(steps) > 1:
            return number
    return None


def _signed(value: int) -> int:
    """Return a number as a column holds it, in 64 bits with a sign."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
