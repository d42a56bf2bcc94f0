# SPDX-License-Identifier: Apache-2.0
"""Messages that each connection of ROS 1 carried, by what its two nodes count.

roscpp counts what it passes to a connection, what it receives, and what its subscriber's queue
dropped; rospy the bytes that it publishes and writes, and the messages that its subscriber takes.
TCP loses nothing: what was published, did not arrive and waits in no socket fell out of a queue.
While sockets never are empty, more may wait in the publisher's queue, but no more than fits into
the memory of its process.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from wirecost.measure.lost.live.tcp import TcpQueues
from wirecost.observe.usage.memory import occupied
from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.master import Master
from wirecost.replay.ros1.sockets import PeerError

NAME = "/wirecost_lost"
PATIENCE_S, LOOK_S, PAUSE_S = 1.0, 0.1, 0.005
"""Seconds that a node may take to answer, in which sockets may become empty, between two looks."""
SETTLED_S, CONFIRMING = 0.05, 2
"""Seconds in which a thread writes or reads what it has, and looks that must show a loss."""
STALE_S = 5.0
"""Seconds for which an empty socket tells of a connection."""
TCP, PREFIX = "TCPROS", 4
"""The protocol, and bytes before each message."""
MOST, LARGEST = 10_000, 1 << 53
"""Connections of which counts are kept, and the largest count; a node may say anything."""
AT_ONCE = 8
"""Nodes that are asked at once, so that those that do not answer hold up no others."""
WRAP = 1 << 32
"""Bytes at which roscpp's counts begin again."""


@dataclass(frozen=True)
class End:
    """What a node counts at one end of a connection.

    ``passed``: bytes that a publisher has for it, or a subscriber has received; ``messages``:
    written by rospy, taken by its subscriber, else as passed; ``dropped``: by a subscriber's queue,
    None where rospy does not say it.
    """

    passed: int
    messages: int
    is_rospy: bool
    dropped: int | None = None


Ends = tuple[End, End]
"""Of the publisher and of the subscriber."""
Told = tuple[dict[Any, str], dict[Any, End], dict[Any, End]]
"""A node's peers, and its ends as a publisher and as a subscriber, by connection and topic."""
Key = tuple[str, str, str, int, int]
"""Topic, publisher, subscriber, and the number that each of these gives the connection."""


@dataclass
class Look:
    """Both ends of a connection before and after its sockets were seen, and were empty or not.

    ``memory``: bytes of the publisher's process meanwhile, None where nobody can say it;
    ``time_s``: by the monotonic clock.
    """

    before: Ends
    after: Ends
    unread: int | None
    memory: int | None = None
    time_s: float = 0.0

    @property
    def is_still(self) -> bool:
        return self.before == self.after


@dataclass(frozen=True)
class Lost:
    """Messages of a connection: ``taken``, and at least lost in either queue.

    ``late``: published, and neither yet; ``by_publisher``: None where nobody can say it, and at
    least what has no room in its memory where sockets never were empty;
    ``unread``: bytes that wait in its sockets, None where they cannot be seen; ``is_exact``: no
    more were lost than these; ``is_unsized``: some were lost by the publisher, and as their sizes
    vary, nobody can say how many; ``is_open``: its sockets were not empty for so long that more
    may have died since.
    """

    taken: int
    late: int
    by_publisher: int | None
    by_subscriber: int
    unread: int | None
    is_exact: bool
    is_unsized: bool
    is_open: bool


class Connections:
    """Connections of a ROS 1 system, looked at now and then."""

    def __init__(self) -> None:
        self._master = Master.of_environment(NAME)
        self._uris: dict[str, str] = {}
        self._peers: dict[str, dict[Any, str]] = {}
        self._looks: dict[Key, list[Look]] = {}
        self._asking = ThreadPoolExecutor(AT_ONCE, "wirecost-asking")
        self._queues: TcpQueues | None = None
        self._seen: object = None

    def look(self, nodes: Mapping[str, int | None]) -> None:
        """Note what nodes count, before and after their sockets were empty.

        ``nodes``: with their processes, None of one that is elsewhere.
        """
        for node in nodes:
            with suppress(PeerError):
                self._uris[node] = self._uris.get(node) or self._master.node_uri(node)
        before = self._counted(nodes)
        memory = {node: pid and occupied(pid) for node, pid in nodes.items()}
        queues = self._queues_of({pid for pid in nodes.values() if pid is not None}, before)
        unread: dict[Key, int | None] = {}
        until = time.monotonic() + LOOK_S
        while True:
            for key in before:
                if unread.get(key) != 0:
                    unread[key] = queues.between(nodes.get(key[1]), nodes.get(key[2]))
            if not any(unread.values()) or time.monotonic() > until:
                break
            time.sleep(PAUSE_S)
            queues.look()
        time.sleep(SETTLED_S)
        after = self._counted({node for key in before for node in key[1:3]})
        for key in before.keys() & after.keys():
            held, now = memory.get(key[1]), time.monotonic()
            self._note(key, Look(before[key], after[key], unread[key], held, now))

    def _queues_of(self, pids: Collection[int], keys: Collection[Key]) -> TcpQueues:
        """Return the sockets of processes, which are found anew where connections changed."""
        seen = (frozenset(pids), frozenset(keys))
        if self._queues is None or self._seen != seen:
            self._queues, self._seen = TcpQueues(pids), seen
        else:
            self._queues.look()
        return self._queues

    def _note(self, key: Key, look: Look) -> None:
        """Keep the first look, the first and the last two with empty sockets, and the last one."""
        looks = self._looks.get(key, [])
        if looks and any(
            now.messages < last.messages
            for now, last in zip(look.before, looks[-1].after, strict=True)
        ):
            # Both nodes began again, and their numbers of connections as well.
            self._looks[*key[:4], -1 - len(self._looks)] = self._looks.pop(key)
            looks = []
        if len(self._looks) >= MOST and not looks:
            return
        self._looks[key] = looks
        looks.append(look)
        empty = [each for each in looks if each.unread == 0]
        kept = [looks[0], *empty[:1], *empty[-CONFIRMING:], look]
        looks[:] = [each for each in looks if any(each is other for other in kept)]

    def lost(self, sizes: Mapping[str, int]) -> Iterator[tuple[str, str, str, Lost]]:
        """Yield topic, publisher, subscriber, and what was lost between them.

        ``sizes``: bytes of a message of those topics whose messages are all of one size.
        """
        for (topic, publisher, subscriber, *_), looks in self._looks.items():
            size = sizes[topic] + PREFIX if topic in sizes else None
            yield topic, publisher, subscriber, lost_between(looks, size)

    def _counted(self, nodes: Collection[str]) -> dict[Key, Ends]:
        """Return both ends of all connections between nodes that answer."""
        sent: dict[tuple[str, str, str], list[tuple[int, End]]] = {}
        received: dict[tuple[str, str, str], list[tuple[int, End]]] = {}
        for node, told in zip(nodes, self._asking.map(self._answer, nodes), strict=True):
            if told is not None:
                peers, publishers, subscribers = told
                for (number, topic), end in publishers.items():
                    sent.setdefault((topic, node, peers[number, topic]), []).append((number, end))
                for (number, topic), end in subscribers.items():
                    publisher = self._node_at(peers[number, topic])
                    received.setdefault((topic, publisher, node), []).append((number, end))
        return {
            (*key, ends[0][0], received[key][0][0]): (ends[0][1], received[key][0][1])
            for key, ends in sent.items()
            if len(ends) == len(received.get(key, ())) == 1
        }

    def _answer(self, node: str) -> Told | None:
        """Return what a node tells, None where it does not."""
        try:
            return self._told(node)
        except (PeerError, *MALFORMED):
            self._uris.pop(node, None)  # it may have begun again elsewhere
            return None

    def _told(self, node: str) -> Told:
        """Return a node's peers and its ends, by connection and topic. Raises PeerError."""
        uri = self._uris[node]
        stats = rpc.answer_of(uri, "getBusStats", NAME, timeout_s=PATIENCE_S)
        if stats[0] == 1:  # rospy's answer has the usual form, roscpp's begins with publishers
            stats = stats[2]
        publishers, subscribers = stats[0], stats[1]
        ends = {(each[0], told[0]) for told in (*publishers, *subscribers) for each in told[-1]}
        known = self._peers.get(uri, {})
        if not ends <= known.keys():
            info = rpc.call(uri, "getBusInfo", NAME, timeout_s=PATIENCE_S)
            known = {(int(each[0]), str(each[4])): str(each[1]) * (each[3] == TCP) for each in info}
            self._peers[uri] = {key: known[key] for key in ends & known.keys()}
        peers = {key: peer for key, peer in known.items() if peer}
        return peers, dict(_senders(publishers, peers)), dict(_receivers(subscribers, peers))

    def _node_at(self, uri: str) -> str:
        """Return the node whose API is at an address, or is that name."""
        return next((node for node, own in self._uris.items() if own == uri), uri)


MALFORMED = (ValueError, LookupError, TypeError, OverflowError)
"""Errors of an answer that has another form; a count may be infinite."""


def _senders(told: Any, peers: Collection[Any]) -> Iterator[tuple[Any, End]]:
    """Yield the ends of publishers; rospy alone tells the bytes of a topic."""
    for topic, *published, connections in told:
        for number, size, *counts in connections:
            if (number, topic) not in peers:
                continue
            if published:
                yield (number, topic), End(_count(published[0]), _count(counts[0]), is_rospy=True)
            else:
                yield (number, topic), End(_count(size), _count(counts[1]), is_rospy=False)


def _receivers(told: Any, peers: Collection[Any]) -> Iterator[tuple[Any, End]]:
    """Yield the ends of subscribers; roscpp does not count the prefix of a message."""
    for topic, connections in told:
        for number, *counts in connections:
            if (number, topic) in peers:
                size, count, dropped = map(_count, counts[:3])
                is_rospy = dropped < 0
                passed = size if is_rospy else size + PREFIX * count
                about = None if is_rospy else dropped
                yield (number, topic), End(passed, count, is_rospy, about)


def _count(told: Any) -> int:
    """Return a count of a node; roscpp's bytes may be negative. Raises as MALFORMED has it."""
    count = int(told)
    if abs(count) > LARGEST:
        raise ValueError("no count of messages or bytes")
    return count


def lost_between(looks: list[Look], size: int | None) -> Lost:
    """Return what a connection lost from the first look to the last.

    ``size``: bytes of each message on the wire, None where they vary. Only where its sockets were
    empty is it known what died in the publisher's queue.
    """
    (sender, receiver), (sent, came) = looks[0].before, looks[-1].after
    taken, written = came.messages - receiver.messages, sent.messages - sender.messages
    empty = [look for look in looks if look.unread == 0]
    first, lasts = (empty or looks)[0], empty[-CONFIRMING:]
    is_told = len(empty) > CONFIRMING
    is_stale = not is_told or looks[-1].time_s > lasts[-1].time_s + STALE_S
    is_exact = not is_stale and first.is_still and lasts[-1].is_still
    by_publisher = _died(first, lasts, size) if is_told else None
    is_unsized = is_told and by_publisher is None
    since = lasts[-1] if is_told else looks[0]
    overflow = _overflow(since, looks[-1], size) if is_stale else 0
    if overflow:
        by_publisher = (by_publisher or 0) + overflow
    if came.dropped is not None:
        by_subscriber = came.dropped - (receiver.dropped or 0)
        taken -= by_subscriber
    elif sender.is_rospy or (is_exact and by_publisher is not None):
        short = _least(first, lasts, "messages") if is_told else 0
        by_subscriber = max(0, short - (0 if sender.is_rospy else by_publisher or 0))
    else:
        by_subscriber = 0
    if sender.is_rospy:
        waiting = _messages((sent.passed - sender.passed) % WRAP, size)
        written = waiting if waiting is not None else written + (by_publisher or 0)
    return Lost(
        taken=taken,
        late=max(0, written - taken - by_subscriber - (by_publisher or 0)),
        by_publisher=by_publisher,
        by_subscriber=by_subscriber,
        unread=looks[-1].unread,
        is_exact=is_exact,
        is_unsized=is_unsized,
        is_open=is_stale and not overflow and not is_unsized,
    )


def _died(first: Look, lasts: list[Look], size: int | None) -> int | None:
    """Return how many messages at least died in the publisher's queue, None if nobody can say."""
    if not any(end.is_rospy for end in first.before):
        return max(0, _least(first, lasts, "messages"))
    least = _least(first, lasts, "passed")
    if first.before[0].is_rospy and not first.is_still:
        least -= size or least  # rospy counts a message after it was written
    return 0 if least <= 0 else _messages(least, size)


def _overflow(first: Look, last: Look, size: int | None) -> int:
    """Return how many messages at least have no room in the publisher's memory, as far as known.

    What it published, and neither arrived nor waits in sockets, is there, or fell out of its queue;
    one message may be half received.
    """
    if size is None or last.unread is None or last.memory is None:
        return 0
    is_counted = not any(end.is_rospy for end in first.before)
    less = (
        _least(first, [last], "messages") * size if is_counted else _least(first, [last], "passed")
    )
    return max(0, (less - last.unread - last.memory) // size - 1)


def _least(first: Look, lasts: list[Look], count: str) -> int:
    """Return by how much less arrived than was sent since a look, as all the others show."""

    def less(last: Look) -> int:
        sent = getattr(last.before[0], count) - getattr(first.after[0], count)
        came = getattr(last.after[1], count) - getattr(first.before[1], count)
        return int((sent - came + WRAP // 2) % WRAP - WRAP // 2)

    return min(map(less, lasts))


def _messages(amount: int, size: int | None) -> int | None:
    """Return how many messages some bytes are, None where that is not known."""
    if not amount:
        return 0
    return amount // size if size and amount % size == 0 else None
