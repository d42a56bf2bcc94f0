# SPDX-License-Identifier: Apache-2.0
"""Readers that follow the writers of a topic."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.replay.dds import names, qos
from wirecost.replay.dds.discovery import Discovery
from wirecost.replay.middleware import ALL, Publishers, Topic

_CHECK_S = 0.2


@dataclass
class _Wanted:
    """A topic that is listened to; readers by what their writers offer: reliable, kept."""

    topic: Topic
    channel: int
    queue: Queue
    of: Publishers
    readers: dict[tuple[bool, bool], _dds.Reader] = field(default_factory=dict)


class Listening:
    """Readers of topics: one for each kind of writer that a topic has, as they appear.

    A reader that asks for what the writer offers loses nothing, and one reader for all would get
    only what all offer. Writers of the participant itself are left out. ``live_only``: of volatile
    topics only what is published from now on, since what writers still keep for others came to
    those long ago.
    """

    def __init__(
        self, participant: _dds.Participant, discovery: Discovery, *, live_only: bool = False
    ) -> None:
        self._participant = participant
        self._discovery = discovery
        self._live_only = live_only
        self._lock = threading.Lock()
        self._wanted: list[_Wanted] = []
        self.notes: dict[str, None] = {}
        """In the order in which they first came."""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="dds-follow", daemon=True)
        self._thread.start()

    def add(self, topic: Topic, channel: int, queue: Queue, of: Publishers = ALL) -> None:
        with self._lock:
            self._wanted.append(_Wanted(topic, channel, queue, of))
        self._follow()

    def connected(self, name: str) -> bool:
        """Return whether a writer of the topic is matched, and all know of their reader here."""
        with self._lock:
            readers = [
                reader
                for entry in self._wanted
                if entry.topic.name == name
                for reader in entry.readers.values()
            ]
        return any(reader.writers() for reader in readers) and not any(
            reader.unconfirmed() for reader in readers
        )

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        for entry in self._wanted:
            for reader in entry.readers.values():
                reader.close()

    def _run(self) -> None:
        seen = (0, 0)
        while not self._ending.is_set():
            version = self._discovery.wait(seen, _CHECK_S)
            if version != seen:
                seen = version
                self._follow()

    def _follow(self) -> None:
        writers: dict[str, list[_dds.FoundEndpoint]] = {}
        for each in self._participant.endpoints():
            if each.writer:
                writers.setdefault(each.topic, []).append(each)
        with self._lock:
            for entry in self._wanted:
                self._follow_topic(entry, writers.get(names.topic_to_dds(entry.topic.name), []))

    def _follow_topic(self, entry: _Wanted, writers: list[_dds.FoundEndpoint]) -> None:
        only, without = self._choice(entry)
        for reader in entry.readers.values():
            reader.choose(True, only, without)
        type_ = names.type_to_dds(entry.topic.type)
        for writer in writers:
            kind = (writer.qos.reliable, writer.qos.transient_local)
            if writer.type != type_:
                self._note_other_type(entry.topic, writer.type)
            elif kind not in entry.readers and (only is None or writer.guid in only):
                entry.readers[kind] = _dds.Reader(
                    self._participant,
                    writer.topic,
                    type_,
                    qos.any_of_class(*kind),
                    names.user_data(entry.topic.type_hash),
                    entry.queue,
                    entry.channel,
                    same_class=True,
                    only=only,
                    without=without,
                    live_only=self._live_only,
                )

    def _choice(self, entry: _Wanted) -> tuple[list[bytes] | None, list[bytes]]:
        if entry.of.only is not None:
            own, _ = self._discovery.writers_of(entry.of.only)
            return list(own), []
        if entry.of.without is not None:
            # Writers that may turn out to be the node's own are left out until a node claims them.
            own, unclaimed = self._discovery.writers_of(entry.of.without)
            return None, list(own | unclaimed)
        return None, []

    def _note_other_type(self, topic: Topic, type_: str) -> None:
        left_out = f"{topic.name}: a writer of type {names.type_from_dds(type_)} is left out; "
        self.notes.setdefault(f"{left_out}the node uses {topic.type}")
