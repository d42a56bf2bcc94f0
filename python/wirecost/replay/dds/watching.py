# SPDX-License-Identifier: Apache-2.0
"""Calls between other nodes, observed by reading requests and replies."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from wirecost import _dds
from wirecost.replay.dds import envelope, names, qos
from wirecost.replay.dds.discovery import Discovery
from wirecost.replay.middleware import Call, NodeGraph, Service

_INBOX_BYTES = 64 << 20
# Unanswered calls must not fill the memory.
_MOST_PENDING_BYTES = 64 << 20
_KEPT_BYTES = 500
_PREFIX = slice(0, 12)
"""Bytes of an endpoint's identity that are its participant's."""


@dataclass(frozen=True)
class _Request:
    service: str
    caller: str
    received_ns: int
    content: bytes


@dataclass
class _Watched:
    """A service that is watched; ``balance``: a writer that never writes, there while a server is.

    rmw_fastrtps takes a service for available only where its requests have as many readers as its
    replies writers. New clients find it after the server, or they would send their first request to
    us alone.
    """

    dds: names.ServiceNames
    user_data: bytes
    requests: _dds.Inbox
    replies: _dds.Inbox
    balance: _dds.Writer | None = None

    def close(self) -> None:
        for endpoint in (self.requests, self.replies, self.balance):
            if endpoint is not None:
                endpoint.close()


class Watching:
    """Observer of the calls by and to one node.

    ``late``: a participant that newcomers find only when they have found each other.
    """

    def __init__(
        self, participant: _dds.Participant, late: _dds.Participant, discovery: Discovery
    ) -> None:
        self._participant = participant
        self._late = late
        self._discovery = discovery
        self._node = ""
        self._watched: dict[str, _Watched] = {}
        self._provided: set[str] = set()
        self._pending: OrderedDict[tuple[str, envelope.Call], _Request] = OrderedDict()
        self._pending_bytes = 0
        # Replies that came before their requests; they wait for one round.
        self._early: dict[tuple[str, envelope.Call], tuple[int, bytes]] = {}
        self.notes: dict[str, None] = {}
        """In the order in which they first came."""

    def watch(self, graph: NodeGraph) -> None:
        self._node = graph.name
        self._provided.update(service.name for service in graph.provides)
        for service in (*graph.provides, *graph.calls):
            if service.name not in self._watched:
                self._watched[service.name] = self._listen(service)
        self._follow_servers()

    def close(self) -> None:
        for watched in self._watched.values():
            watched.close()
        self._watched.clear()

    def calls(self) -> list[Call]:
        self._follow_servers()
        replies = self._early
        self._early = {}
        for name, watched in self._watched.items():
            for each in watched.replies.take(0):
                self._open_reply(name, envelope.Envelope(*each), self._early)
            for each in watched.requests.take(0):
                self._add_request(name, envelope.Envelope(*each))
            if watched.requests.dropped + watched.replies.dropped:
                self.notes.setdefault(
                    f"{name}: calls were lost; they came faster than they were stored"
                )
        finished = self._finish(replies) + self._finish(self._early)
        return sorted(finished, key=lambda call: call.reply_ns)

    def _follow_servers(self) -> None:
        """Keep services as available to clients as they are without us."""
        served = self._discovery.topics_read()
        for watched in self._watched.values():
            present = watched.dds.request_topic in served
            if present and watched.balance is None:
                watched.balance = _dds.Writer(
                    self._late,
                    watched.dds.reply_topic,
                    watched.dds.reply_type,
                    qos.SERVICE,
                    watched.user_data,
                )
            elif not present and watched.balance is not None:
                watched.balance.close()
                watched.balance = None

    def _listen(self, service: Service) -> _Watched:
        dds = names.service_to_dds(service.name, service.type)
        data = names.user_data(service.type_hash)

        def inbox(topic: str, type_: str) -> _dds.Inbox:
            return _dds.Inbox(self._participant, topic, type_, qos.SERVICE, data, _INBOX_BYTES)

        return _Watched(
            dds,
            data,
            inbox(dds.request_topic, dds.request_type),
            inbox(dds.reply_topic, dds.reply_type),
        )

    def _add_request(self, service: str, received: envelope.Envelope) -> None:
        if received.writer[_PREFIX] == self._participant.guid[_PREFIX]:
            return  # the recorder itself asks for parameters
        caller = self._discovery.owner(received.writer)
        opened = envelope.open_request(received, self._discovery.vendor(received.writer))
        if opened is None or (service not in self._provided and caller != self._node):
            return
        call, content = opened
        self._pending[service, call] = _Request(service, caller, received.received_ns, content)
        self._pending_bytes += len(content) + _KEPT_BYTES
        while self._pending_bytes > _MOST_PENDING_BYTES:
            _, oldest = self._pending.popitem(last=False)
            self._pending_bytes -= len(oldest.content) + _KEPT_BYTES
            self.notes.setdefault(f"{oldest.service}: calls without a reply were dropped")

    def _open_reply(
        self,
        service: str,
        received: envelope.Envelope,
        replies: dict[tuple[str, envelope.Call], tuple[int, bytes]],
    ) -> None:
        opened = envelope.open_reply(received, self._discovery.vendor(received.writer))
        if opened is not None:
            call, content = opened
            replies[service, call] = (received.received_ns, content)

    def _finish(self, replies: dict[tuple[str, envelope.Call], tuple[int, bytes]]) -> list[Call]:
        finished = []
        for key in [key for key in replies if key in self._pending]:
            request = self._pending.pop(key)
            self._pending_bytes -= len(request.content) + _KEPT_BYTES
            reply_ns, reply = replies.pop(key)
            finished.append(
                Call(
                    request.service,
                    request.caller,
                    request.received_ns,
                    reply_ns,
                    request.content,
                    reply,
                )
            )
        return finished
