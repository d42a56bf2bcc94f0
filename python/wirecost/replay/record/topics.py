# SPDX-License-Identifier: Apache-2.0
"""The topics of a recorded node: their messages are read from one queue, written and counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from wirecost._middleware import Queue
from wirecost.replay.middleware import NodeGraph, Publishers, Recorder, Topic
from wirecost.replay.recording.snapshot import JoinedTopic
from wirecost.replay.recording.writer import INPUT, OUTPUT, RecordingWriter

CACHE_BYTES = 256 << 20
"""Bytes of messages that wait until they are written, unless one says it."""
TAKE_S = 0.05
OF_EVERY_NODE = {"/rosout", "/rosout_agg", "/parameter_events"}
"""Outputs that every node of its system has, whatever its work."""


@dataclass(frozen=True)
class TopicProgress:
    """``rate``: messages per second since the last report."""

    name: str
    role: str
    messages: int
    rate: float
    bytes: int
    dropped: int


@dataclass
class _Followed:
    topic: Topic
    role: str
    after_s: float
    channel: int | None = None
    """In the file; known once the first message came, and with it the topic's definition."""
    messages: int = 0
    """Written; what the queue still holds at the end came after it."""
    missed: int = 0
    bytes: int = 0
    reported: int = 0


class RecordedTopics:
    """A topic's number in the queue is its place in ``_followed``."""

    def __init__(self, recorder: Recorder, writer: RecordingWriter, cache_bytes: int) -> None:
        self._recorder = recorder
        self._writer = writer
        self._queue = Queue(cache_bytes)
        self._followed: list[_Followed] = []
        # Receive times are stored as the clock's at the start plus what passed since, so that
        # setting the clock meanwhile moves nothing.
        self._wall_minus_monotonic_ns = time.time_ns() - time.monotonic_ns()

    def new(self, graph: NodeGraph) -> list[tuple[Topic, str]]:
        """Return the topics of the node, with their roles, that are not followed yet."""
        pairs = {(entry.topic.name, entry.role) for entry in self._followed}
        return [(topic, role) for topic, role in _joined(graph) if (topic.name, role) not in pairs]

    def follow(self, new: list[tuple[Topic, str]], graph: NodeGraph, after_s: float) -> None:
        sides = {(topic.name, role) for topic, role in _joined(graph)}
        for topic, role in new:
            number = len(self._followed)
            self._followed.append(_Followed(topic, role, after_s))
            if {(topic.name, INPUT), (topic.name, OUTPUT)} <= sides:
                # Its own messages on a topic that it also reads must not be sent to it again.
                own = role == OUTPUT
                of = Publishers(only=graph.name) if own else Publishers(without=graph.name)
                self._recorder.listen(topic, number, self._queue, of)
            else:
                self._recorder.listen(topic, number, self._queue)

    def complete(self, graph: NodeGraph) -> None:
        """Take over definitions that are known only since a publisher was connected to."""
        for entry in self._followed:
            if entry.channel is None:
                _complete(entry, graph)

    def write_messages(self, graph: Callable[[], NodeGraph | None]) -> bool:
        """Write what the queue holds; whether that was the first message of any topic."""
        first = False
        for number, _, monotonic_ns, source_ns, missed, message in self._queue.take(1024, TAKE_S):
            entry = self._followed[number]
            if entry.channel is None:
                if now := graph():
                    _complete(entry, now)
                entry.channel = self._writer.add_topic(entry.topic, entry.role)
                first = True
            log_ns = monotonic_ns + self._wall_minus_monotonic_ns
            self._writer.write(entry.channel, log_ns, source_ns or log_ns, message, missed)
            entry.messages += 1
            entry.missed += missed
            entry.bytes += len(message)
        return first

    def progress(self, passed_s: float) -> list[TopicProgress]:
        """Return a line for each topic; ``passed_s``: since the last call."""
        lines = []
        for i, entry in enumerate(self._followed):
            rate, dropped = (entry.messages - entry.reported) / passed_s, self._dropped(i)
            entry.reported = entry.messages
            lines.append(
                TopicProgress(
                    entry.topic.name, entry.role, entry.messages, rate, entry.bytes, dropped
                )
            )
        return lines

    def joined(self, role: str) -> list[JoinedTopic]:
        return [
            JoinedTopic(
                entry.topic, entry.after_s, entry.messages, self._dropped(i), self._overflowed(i)
            )
            for i, entry in enumerate(self._followed)
            if entry.role == role
        ]

    def overflowed(self) -> dict[str, int]:
        """Return how many messages of each topic fell out of the cache."""
        counts: Counter[str] = Counter()
        for i, entry in enumerate(self._followed):
            counts[entry.topic.name] += self._overflowed(i)
        return {topic: count for topic, count in counts.items() if count}

    def _overflowed(self, number: int) -> int:
        return self._queue.counts().get(number, (0, 0, 0))[1]

    def _dropped(self, number: int) -> int:
        """Return how many messages are missing: by numbers, or until now for want of room."""
        return max(self._followed[number].missed, self._overflowed(number))


def _joined(graph: NodeGraph) -> list[tuple[Topic, str]]:
    outputs = [topic for topic in graph.published if topic.name not in OF_EVERY_NODE]
    return [(topic, INPUT) for topic in graph.subscribed] + [(output, OUTPUT) for output in outputs]


def _complete(entry: _Followed, graph: NodeGraph) -> None:
    for topic in graph.subscribed if entry.role == INPUT else graph.published:
        if topic.name == entry.topic.name:
            entry.topic = topic
