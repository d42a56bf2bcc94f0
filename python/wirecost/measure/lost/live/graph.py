# SPDX-License-Identifier: Apache-2.0
"""A running graph whose messages are counted at each subscriber for some time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.live.graph import ROS1, LiveGraph, LiveRequest
from wirecost.measure.lost.live.calls import Calls
from wirecost.measure.lost.live.connections import Connections
from wirecost.measure.lost.live.ledger import Ledger, ledgers
from wirecost.measure.lost.live.sockets import SocketDrops, usual_buffer
from wirecost.results.records.lost_live import (
    OPEN,
    READER,
    SENDER,
    SOCKET,
    TAKER,
    WAY,
    WRITER,
    HeardTopic,
    LiveLost,
    Subscription,
)
from wirecost.system.closing import Closing

ROS1_S, FIRST_S = 2.0, 10.0
"""Seconds between two looks at nodes of ROS 1, and in which all of their sockets are found."""


class WatchedGraph(Closing):
    """A running graph, watched as long as this is open. Raises UserError."""

    def __init__(self, request: LiveRequest) -> None:
        self._request = request
        self._stack = ExitStack()
        with self._stack:
            # Who pays is not asked: breakpoints in rcl would only cost.
            told_every_s = ROS1_S if request.system == ROS1 else request.told_every_s
            listening = replace(request, attaches=False, told_every_s=told_every_s)
            self._graph = self._stack.enter_context(LiveGraph(listening, []))
            self._sockets = SocketDrops()
            self._connections = Connections() if request.system == ROS1 else None
            self._calls = self._stack.enter_context(Calls()) if request.attaches else None
            self._stack = self._stack.pop_all()

    def seconds(self) -> Iterator[float]:
        """Yield how long it was watched, every second or two until the time is over."""
        for _ in self._graph.surveys():
            pids = self._graph.pids
            if self._connections is None or self._graph.seconds < FIRST_S:
                self._sockets.look(pids)  # ROS 1 hardly ever uses UDP
            if self._calls is not None:
                self._calls.watch(pids)
            self._look_at_connections()
            yield self._graph.seconds

    def _look_at_connections(self) -> None:
        if self._connections is not None:
            pids = {node: pid for pid in self._graph.pids for node in self._graph.nodes_of(pid)}
            ends = (
                {*(topic.publishers or ()), *(topic.subscribers or ())}
                for topic in self._graph.survey().topics
            )
            self._connections.look({node: pids.get(node) for node in sorted(set().union(*ends))})

    def lost(self, *, is_whole: bool = True) -> LiveLost:
        """Return what died where until now."""
        survey = self._graph.survey()
        topics = {topic.connection.topic: topic for topic in survey.topics}
        if self._calls is not None:
            self._calls.look()
        self._look_at_connections()
        self._sockets.look(self._graph.pids)
        drops = {pid: self._sockets.of(pid) or 0 for pid in self._graph.pids}
        return LiveLost(
            system=self._request.system,
            drops={
                str(pid): count
                for pid, count in drops.items()
                if count and not self._graph.nodes_of(pid)
            },
            seconds=survey.duration_s,
            topics=len(topics),
            is_attached=self._calls is not None,
            subscriptions=list(self._subscriptions(topics)),
            heard=[_heard(topic) for topic in survey.topics if topic.count],
            unread=self._calls.unread if self._calls is not None else 0,
            is_full=self._calls is not None and self._calls.is_full,
            is_whole=is_whole,
            usual_buffer=usual_buffer(),
            looking=self._graph.looking,
        )

    def _subscriptions(self, topics: dict[str, TopicSurvey]) -> Iterator[Subscription]:
        """Yield those that took messages, then nodes of which nothing is known."""
        placed: set[tuple[str, str]] = set()
        for connection in self._carried(topics):
            placed.update((connection.topic, name) for name in connection.subscribers)
            if connection.published or connection.taken:
                yield connection
        for ledger in self._ledgers():
            topic = topics.get(ledger.topic)
            subscribers = sorted(self._nodes(ledger.pid, topic, is_publisher=False))
            placed.update((ledger.topic, name) for name in subscribers)
            if ledger.taken or ledger.untaken:
                yield self._subscription(ledger, subscribers, topic)
        for topic in topics.values():
            for name in topic.subscribers or []:
                if (topic.connection.topic, name) not in placed and topic.publishers:
                    yield self._untold(topic, name)

    def _ledgers(self) -> list[Ledger]:
        if self._calls is None:
            return []
        return ledgers(self._calls.handles, self._calls.of_fast_dds)

    def _nodes(self, pid: int, topic: TopicSurvey | None, *, is_publisher: bool) -> set[str]:
        if topic is None:
            return set()
        ends = topic.publishers if is_publisher else topic.subscribers
        return self._graph.nodes_of(pid).intersection(ends or ())

    def _subscription(
        self, ledger: Ledger, subscribers: list[str], topic: TopicSurvey | None
    ) -> Subscription:
        publishers: set[str] = set()
        for pid in ledger.pids:
            publishers |= self._nodes(pid, topic, is_publisher=True)
        if not ledger.pids and topic is not None:
            publishers = set(topic.publishers or ())
        dropped = self._sockets.of(ledger.pid)
        links = topic.links if topic is not None else []
        way = WRITER if _is_reliable(links, publishers, subscribers) else WAY
        # A message that died there has left a datagram there.
        if way == WAY and dropped is not None and dropped >= ledger.before:
            way = SOCKET
        places = {READER: ledger.behind, way: ledger.before, OPEN: ledger.either}
        return Subscription(
            topic=ledger.topic,
            pid=ledger.pid,
            subscribers=subscribers,
            publishers=sorted(publishers),
            published=ledger.published or None,
            taken=ledger.taken,
            untaken=ledger.untaken,
            places={place: count for place, count in places.items() if count},
            held=ledger.held,
            takes_every_s=ledger.takes_every_s,
            published_every_s=ledger.published_every_s,
            dropped_datagrams=dropped,
            refusals=_refusals(links, subscribers),
        )

    def _carried(self, topics: Mapping[str, TopicSurvey]) -> Iterator[Subscription]:
        """Yield a subscription for each connection of ROS 1."""
        if self._connections is None:
            return
        sizes = {name: topic.sizes.largest for name, topic in topics.items() if topic.sizes.is_one}
        pids = {node: pid for pid in self._graph.pids for node in self._graph.nodes_of(pid)}
        for topic, publisher, subscriber, lost in self._connections.lost(sizes):
            places = {TAKER: lost.by_subscriber, SENDER: lost.by_publisher or 0}
            yield Subscription(
                topic=topic,
                pid=pids.get(subscriber),
                subscribers=[subscriber],
                publishers=[publisher],
                published=None if lost.unread is None else lost.taken + sum(places.values()),
                taken=lost.taken,
                untaken=lost.late,
                places={place: count for place, count in places.items() if count},
                unread=lost.unread or 0,
                is_least=not lost.is_exact,
                is_unsized=lost.is_unsized,
                is_open=lost.is_open,
            )

    def _untold(self, topic: TopicSurvey, name: str) -> Subscription:
        """Return a subscription of which no take was seen."""
        pids = [pid for pid in self._graph.pids if name in self._graph.nodes_of(pid)]
        pid = pids[0] if len(pids) == 1 else None
        return Subscription(
            topic=topic.connection.topic,
            pid=pid,
            subscribers=[name],
            publishers=sorted(topic.publishers or []),
            dropped_datagrams=None if pid is None else self._sockets.of(pid),
            refusals=_refusals(topic.links, [name]),
        )

    def close(self) -> None:
        self._stack.close()


def _is_reliable(
    links: Sequence[Mapping[str, Any]], publishers: set[str], subscribers: Sequence[str]
) -> bool:
    """Say whether all links between these nodes are reliable."""
    between = [
        bool(link["is_reliable"])
        for link in links
        if publishers.intersection(link["publishers"])
        and not set(subscribers).isdisjoint(link["subscribers"])
    ]
    return bool(between) and all(between)


def _refusals(
    links: Sequence[Mapping[str, Any]], subscribers: Sequence[str]
) -> dict[str, list[str]]:
    """Return why QoS lets nothing pass to these nodes, and from which."""
    return {
        str(link["why_not"]): sorted(map(str, link["publishers"]))
        for link in links
        if link["why_not"] and not set(subscribers).isdisjoint(link["subscribers"])
    }


def _heard(topic: TopicSurvey) -> HeardTopic:
    """Return what our own subscription counted."""
    return HeardTopic(
        topic=topic.connection.topic,
        published=topic.count,
        missed=topic.missed if topic.is_numbered else None,
        lost=topic.lost if topic.is_numbered else None,
    )
