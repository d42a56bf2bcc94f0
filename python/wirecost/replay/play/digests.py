# SPDX-License-Identifier: Apache-2.0
"""Hashes by which the messages of a node are compared."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from wirecost.replay.middleware import Topic
from wirecost.replay.play.padding import MOST_ELEMENTS, Padding
from wirecost.replay.play.stamps import SEQ_BYTES, begins_with_header
from wirecost.system.counted import counted
from wirecost.system.errors import UserError


class Digests:
    """Hashes of the content of messages.

    ROS 1's ``seq``, which counts from the node's start, is left out, and the padding of CDR, which
    is what was in the memory before.
    """

    def __init__(self, profile: str, topics: Iterable[Topic]) -> None:
        self._counted: set[str] = set()
        self._padding: dict[str, Padding] = {}
        self._notes: dict[str, None] = {}
        self._other = Counter[str]()
        types: dict[tuple[str, str], Padding] = {}
        for topic in topics:
            if profile == "ros1":
                if begins_with_header(topic.type, topic.definition):
                    self._counted.add(topic.name)
                continue
            key = (topic.type, topic.definition)
            try:
                types[key] = types.get(key) or Padding(*key)
            except UserError:
                self._notes[
                    f"{topic.name}: the definition of {topic.type} is not known or not understood, "
                    "so padding between its values counts as a difference"
                ] = None
            else:
                self._padding[topic.name] = types[key]

    def of(self, topic: str, message: bytes) -> str:
        """Return the hash of a topic's message."""
        content: bytes | memoryview = message
        if topic in self._counted:
            content = memoryview(message)[SEQ_BYTES:]
        elif padding := self._padding.get(topic):
            unpadded = padding.without(message)
            self._other[topic] += unpadded is None
            content = message if unpadded is None else unpadded
        return hashlib.blake2b(content, digest_size=8).hexdigest()

    def notes(self) -> list[str]:
        """Return which messages were compared with their padding, one line a topic."""
        return [*self._notes] + [
            f"{topic}: {counted(count, 'message')} not of its type's definition, or of more than "
            f"{MOST_ELEMENTS:,} elements, so padding between values counts as a difference there"
            for topic, count in self._other.items()
            if count
        ]
