# SPDX-License-Identifier: Apache-2.0
"""Messages that fell out of a recorder's cache because its disk was slow, as the recorder says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from wirecost.data.messages.cdr_values import CdrError, Reader
from wirecost.data.recordings.mcap.recorders import OUT_OF_CACHE
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.regular_file import read_regular

EVENT = "rosbag2_interfaces/msg/MessagesLostEvent"
"""Type by which rosbag2 publishes, and records, what it dropped since the last such message."""
EVENT_BYTES = 20
"""The least that a topic takes in it."""
MOST = 1 << 48
"""A larger count is none."""
LONGEST_LOG = 64 << 20
LOGGER = "[rosbag2_"
_LOGGED = re.compile(r"Cache buffers lost messages per topic:((?:[ \t]*\n[ \t]+\S+: \d{1,15})+)")
_LOGGED_TOPIC = re.compile(r"(\S+): (\d+)")

Dropped = Counter[str]
"""Messages by topic."""


def of_metadata(every: Iterable[Mapping[str, str]]) -> Dropped:
    """Return the counts of the last of these metadata, which only grow."""
    dropped: Dropped = Counter()
    for values in every:
        for topic, text in values.items():
            if text.isascii() and text.isdecimal() and len(text) < len(str(MOST)):
                dropped |= Counter({topic: int(text)})
    return dropped


def of_event(data: bytes) -> Dropped:
    """Return the counts of a message of type EVENT, none where it is another."""
    dropped: Dropped = Counter()
    try:
        message = Reader(data)
        message.string()  # the recorder's node
        for _ in range(message.count(EVENT_BYTES)):
            topic = message.string()
            message.integer("Q")  # lost before the recorder
            dropped[topic] = min(dropped[topic] + message.integer("Q"), MOST)
    except CdrError:
        return Counter()
    return dropped


def of_log(path: Path) -> Dropped:
    """Return the counts in rosbag2's log, which repeats them as they grow. Raises UserError."""
    remedy = "name the log of ros2 bag record"
    try:
        text = read_regular(path, LONGEST_LOG).decode(errors="replace")
    except OSError as error:
        raise UserError(f"--log {path}: {error.strerror}; {remedy}") from error
    if LOGGER not in text:
        raise UserError(f"--log {path}: has no line of rosbag2; {remedy}")
    dropped: Dropped = Counter()
    for listed in _LOGGED.findall(text):
        dropped |= Counter({topic: int(count) for topic, count in _LOGGED_TOPIC.findall(listed)})
    return dropped


def sentence(dropped: Dropped) -> str:
    """Return how many messages of how many topics fell out of the cache."""
    topics = counted(len(dropped), "topic")
    return f"{counted(dropped.total(), 'message')} of {topics} {OUT_OF_CACHE}"
