# SPDX-License-Identifier: Apache-2.0
"""A listener to a DDS domain: ``python dds_listener.py '{"limit": BYTES, "domain": 0}'``.

It needs no ROS: topics and their ends are what the domain announces. A subscription is reliable
where all writers are, and takes at once what comes, so that no publisher waits for it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.measure.cost.live.listening import (
    KEPT,
    OWN_SERVICES,
    SETTLED_NS,
    HeardTopic,
    by_profile,
    living_processes,
    process_of,
    tell,
    without_dead,
)
from wirecost.replay.dds import names, qos
from wirecost.replay.dds.discovery import Discovery
from wirecost.replay.dds.domain import addresses
from wirecost.replay.dds.recorder import ENCLAVE

NAME = "wirecost_cost"
TOLD_EVERY_S, TAKEN_EVERY_S = 1.0, 0.1
QUEUE_BYTES, TAKEN_AT_ONCE = 64 << 20, 10_000

Key = tuple[str, str]
"""Topic and type, as DDS has them."""


class Graph:
    """Topics of a domain; subscriptions to those that somebody publishes."""

    def __init__(
        self, participant: _dds.Participant, discovery: Discovery, limit: float, listens: bool
    ) -> None:
        self._participant, self._discovery = participant, discovery
        self._limit, self._listens = limit, listens
        self._queue = Queue(QUEUE_BYTES)
        self._open: dict[Key, _dds.Reader | None] = {}
        self._channels: list[HeardTopic] = []
        self._readers: list[_dds.Reader] = []
        self._begun_ns: list[int] = []
        self._lost: dict[int, int] = {}
        self._missed: dict[int, int] = {}
        self.topics: dict[Key, HeardTopic] = {}

    def look(self) -> None:
        """Find topics and ends, and subscribe to what is new."""
        owners = {
            end.guid: node.name
            for node in self._discovery.nodes()
            for end in (*node.readers, *node.writers)
        }
        living = living_processes()
        ends: dict[Key, list[_dds.FoundEndpoint]] = {key: [] for key in self.topics}
        for end in self._participant.endpoints():
            ends.setdefault((end.topic, end.type), []).append(end)
        for key, announced in ends.items():
            name = _name(key)
            if name is None:
                continue
            if key not in self.topics:
                self.topics[key] = HeardTopic(name, names.type_from_dds(key[1]), "cdr")
            topic = self.topics[key]
            alive = without_dead(
                announced, lambda end: _owner(end, owners), lambda end: end.guid, living
            )
            writers = [end for end in alive if end.writer]
            topic.publishers = [_owner(end, owners) for end in writers]
            topic.subscribers = [_owner(end, owners) for end in alive if not end.writer]
            for end in alive:
                topic.place(_owner(end, owners), process_of(end.guid))
            readers = [end for end in alive if not end.writer]
            topic.links = list(_links(writers, readers, lambda end: _owner(end, owners)))
            if writers:
                topic.qos = ", ".join(sorted({_words(end.qos) for end in writers}))
            if self._listens and writers and key not in self._open:
                self._open[key] = self._reader(key, writers)
        for key, reader in self._open.items():
            if reader is not None and self.topics[key].is_above(self._limit):
                self.topics[key].end()
                reader.close()
                self._open[key] = None

    def _reader(self, key: Key, writers: Sequence[_dds.FoundEndpoint]) -> _dds.Reader | None:
        """Return a reader that asks for as little as it can, None where there is none."""
        topic = self.topics[key]
        is_reliable = all(end.qos.reliable for end in writers)
        is_kept = all(end.qos.transient_local for end in writers)
        try:
            reader = _dds.Reader(
                self._participant, *key, qos.any_of_class(is_reliable, is_kept),
                writers[0].user_data, self._queue, len(self._channels),
            )  # fmt: skip
        except RuntimeError:
            topic.unknown = "has another type as well, which is listened to"
            return None
        self._channels.append(topic)
        self._readers.append(reader)
        self._begun_ns.append(time.time_ns())
        topic.begin()
        return reader

    def listen(self, seconds: float) -> None:
        """Count what comes until then."""
        for channel, at_ns, time_ns, source_ns, _, data in self._queue.take(TAKEN_AT_ONCE, seconds):
            begun_ns = self._begun_ns[channel]
            was_kept = 0 < source_ns < begun_ns and at_ns < begun_ns + SETTLED_NS
            self._channels[channel].add(data, KEPT if was_kept else time_ns)
        for channel, (received, dropped, total) in self._queue.counts().items():
            # What came and this program was too slow for, and what did not come.
            new = dropped - self._lost.get(channel, 0)
            self._lost[channel] = dropped
            reader = self._readers[channel]
            self._channels[channel].note_missed(
                new + reader.missed() - self._missed.get(channel, 0), total // received,
                time.monotonic_ns(),
            )  # fmt: skip
            self._missed[channel] = reader.missed()
            # It takes at once what comes, so what has no number died before.
            self._channels[channel].lost = reader.missed()
            self._channels[channel].is_numbered = True

    def close(self) -> None:
        for reader in self._open.values():
            if reader is not None:
                reader.close()


def _name(key: Key) -> str | None:
    """Return what a topic is called; None for what every node of ROS 2 has."""
    type_ = names.type_from_dds(key[1])
    if type_.startswith(OWN_SERVICES):
        return None
    if service := names.service_of_request(key[0], key[1]):
        return f"{service[0]} (requests)"
    if replies := names.service_of_reply(key[0]):
        return f"{replies} (replies)"
    return names.topic_from_dds(key[0])


def _owner(end: _dds.FoundEndpoint, owners: dict[bytes, str]) -> str:
    """Return the node of an end; its participant's number where no node claims it."""
    return owners.get(end.guid) or f"/participant_{end.guid[:12].hex()}"


def _links(
    writers: Sequence[_dds.FoundEndpoint],
    readers: Sequence[_dds.FoundEndpoint],
    owner: Callable[[_dds.FoundEndpoint], str],
) -> Iterator[dict[str, Any]]:
    """Yield owners with one QoS that write, those with one that read, and if both fit."""
    for (writer, publishers), (reader, subscribers) in product(
        by_profile(writers, lambda end: qos.from_dds(end.qos), owner),
        by_profile(readers, lambda end: qos.from_dds(end.qos), owner),
    ):
        yield {
            "publishers": publishers,
            "subscribers": subscribers,
            "is_reliable": writer.qos.reliable and reader.qos.reliable,
            "why_not": qos.why_not(writer.qos, reader.qos),
        }


def _words(offered: _dds.Qos) -> str:
    reliability = "reliable" if offered.reliable else "best effort"
    return f"{reliability} {'transient local' if offered.transient_local else 'volatile'}"


def main() -> None:
    job = json.loads(sys.argv[1])
    participant = _dds.Participant(job["domain"], NAME, ENCLAVE, sorted(addresses()))
    discovery = Discovery(participant)
    graph = Graph(participant, discovery, job["limit"], job["listens"])
    discovery.settle()
    due = time.monotonic()
    while True:
        if time.monotonic() >= due:
            graph.look()
            if not tell(graph.topics.values()):
                break
            due += TOLD_EVERY_S
        graph.listen(max(0.0, min(TAKEN_EVERY_S, due - time.monotonic())))
    graph.close()
    discovery.close()
    participant.close()


if __name__ == "__main__":
    main()
