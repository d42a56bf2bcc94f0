# SPDX-License-Identifier: Apache-2.0
"""A ROS 1 system of its own, on loopback, in which one node is replayed."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from wirecost._middleware import Queue, Sink
from wirecost.replay.middleware import Call, Service, Topic
from wirecost.replay.ros1.definitions import Definitions
from wirecost.replay.ros1.master import Master, on_loopback
from wirecost.replay.ros1.master_server import MasterServer
from wirecost.replay.ros1.publications import Publications
from wirecost.replay.ros1.service import exchange, shake_hands_with_provider
from wirecost.replay.ros1.slave import ApiServer, SlaveApi
from wirecost.replay.ros1.sockets import LOOPBACK, PeerError
from wirecost.replay.ros1.subscriptions import Subscriptions


class Ros1IsolatedSystem:
    """``IsolatedSystem`` with a master of our own."""

    def __init__(self) -> None:
        self._name = f"/wirecost_replay_{os.getpid()}"
        self._left = ExitStack()
        self._subscribed: set[str] = set()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._server = stack.enter_context(MasterServer(LOOPBACK))
            self._master = Master(self._server.uri, self._name)
            self._subscriptions = Subscriptions(self._name, Definitions(self._name).learn)
            stack.callback(self._subscriptions.close)
            self._publications = stack.enter_context(Publications(self._name, LOOPBACK))
            api = SlaveApi(self._master.uri, self._set_publishers, self._publications.tcpros)
            self._uri = stack.enter_context(ApiServer(LOOPBACK, api)).uri
            self._left = stack.pop_all()
        return self

    def __exit__(self, *raised: object) -> None:
        self._left.close()

    def environment(self) -> dict[str, str]:
        return on_loopback(self._master.uri)

    def prepare(
        self,
        node: str,  # noqa: ARG002
        parameters: dict[str, object],
        called: Sequence[Service] = (),  # noqa: ARG002
    ) -> None:
        for name, value in parameters.items():
            self._server.api.set(name, value)

    def publish(self, topic: Topic) -> Sink:
        sink = self._publications.add(topic)
        self._master.publish(topic.name, topic.type or "*", self._uri)
        return sink

    def listen(self, topic: Topic, channel: int, queue: Queue) -> None:
        self._subscriptions.add(topic.name, channel, queue)
        if topic.name not in self._subscribed:
            self._subscribed.add(topic.name)
            self._set_publishers(topic.name, self._master.subscribe(topic.name, self._uri))

    def answer(self, service: Service, recorded: Sequence[Call]) -> None:
        self._publications.answer(service, recorded)
        self._master.provide(service.name, self._publications.service_uri, self._uri)

    def call(self, service: Service, request: bytes) -> Call:
        request_ns = time.time_ns()
        content, error = b"", None
        try:
            uri = self._master.service_uri(service.name)
            fields = {"md5sum": service.type_hash or "*", "type": service.type or "*"}
            connection, _ = shake_hands_with_provider(uri, service.name, self._name, fields)
            with connection:
                reply = exchange(connection, request)
            if reply.ok:
                content = reply.content
            else:
                error = reply.content.decode(errors="replace")
        except PeerError as failed:
            error = str(failed)
        return Call(service.name, self._name, request_ns, time.time_ns(), request, content, error)

    def waiting_for(self, subscribed: Sequence[Topic], published: Sequence[Topic]) -> list[str]:
        missing = [topic.name for topic in subscribed if not self._publications.readers(topic.name)]
        return missing + [
            topic.name for topic in published if not self._subscriptions.connected(topic.name)
        ]

    def unmatched(self) -> list[str]:
        return self._publications.unmatched()

    def _set_publishers(self, topic: str, uris: list[str]) -> None:
        # Messages that we play ourselves are no output of the node.
        self._subscriptions.set_publishers(topic, [uri for uri in uris if uri != self._uri])
