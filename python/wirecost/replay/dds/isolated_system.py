# SPDX-License-Identifier: Apache-2.0
"""A DDS domain on loopback with one node to be replayed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.data.messages.cdr_values import CdrError
from wirecost.replay.answers import Answers
from wirecost.replay.dds import names, qos
from wirecost.replay.dds.client import Client, NoReplyError
from wirecost.replay.dds.discovery import REPLAYER, Discovery
from wirecost.replay.dds.domain import LOOPBACK, FreeDomain, environment
from wirecost.replay.dds.graph import graph_of
from wirecost.replay.dds.listening import Listening
from wirecost.replay.dds.node_parameters import NodeParameters
from wirecost.replay.dds.recorder import ENCLAVE
from wirecost.replay.dds.server import Server
from wirecost.replay.middleware import Call, Service, Topic

_CALL_S = 10.0
# A node announces itself once its topics stand.
_ANNOUNCED_S = 5.0


class DdsIsolatedSystem:
    """``IsolatedSystem`` of ROS 2 or of other DDS programs."""

    def __enter__(self) -> Self:
        self._exits = ExitStack()
        with ExitStack() as exits:
            self._domain = exits.enter_context(FreeDomain())
            self._participant = _dds.Participant(
                self._domain.number, REPLAYER, ENCLAVE, (LOOPBACK,)
            )
            exits.callback(self._participant.close)
            self._discovery = Discovery(self._participant)
            exits.callback(self._discovery.close)
            self._listening = Listening(self._participant, self._discovery)
            exits.callback(self._listening.close)
            self._exits = exits.pop_all()
        self._writers: dict[str, _dds.Writer] = {}
        self._servers: list[Server] = []
        self._clients: dict[str, Client] = {}
        self._node = ""
        self._parameters: dict[str, object] = {}
        self._joined_at: float | None = None
        self._refused: list[str] = []
        return self

    def __exit__(self, *raised: object) -> None:
        for server in self._servers:
            server.close()
        for client in self._clients.values():
            client.close()
        for writer in self._writers.values():
            writer.close()
        self._exits.close()

    def environment(self) -> dict[str, str]:
        return environment(self._domain.number)

    def prepare(
        self, node: str, parameters: dict[str, object], called: Sequence[Service] = ()
    ) -> None:
        """Remember parameters: a ROS 2 node has them only once it runs.

        Its arguments and files set most; what was set while it ran is set again before its first
        input.
        """
        self._node, self._parameters = node, dict(parameters)
        for service in called:
            self._client(service)

    def publish(self, topic: Topic) -> _dds.Writer:
        writer = _dds.Writer(
            self._participant,
            names.topic_to_dds(topic.name),
            names.type_to_dds(topic.type),
            qos.to_send_all(topic.qos),
            names.user_data(topic.type_hash),
        )
        self._writers[topic.name] = writer
        return writer

    def listen(self, topic: Topic, channel: int, queue: Queue) -> None:
        self._listening.add(topic, channel, queue)

    def answer(self, service: Service, recorded: Sequence[Call]) -> None:
        answers = Answers([call for call in recorded if call.error is None])
        self._servers.append(Server(self._participant, service, answers, self._discovery.vendor))

    def call(self, service: Service, request: bytes) -> Call:
        client = self._client(service)
        asked_ns = time.time_ns()
        reply, error = b"", None
        try:
            reply = client.call(request, lambda: self._server_vendor(service), _CALL_S)
        except NoReplyError as failure:
            error = str(failure)
        return Call(service.name, "", asked_ns, time.time_ns(), request, reply, error)

    def waiting_for(self, subscribed: Sequence[Topic], published: Sequence[Topic]) -> list[str]:
        """Return the topics that are not joined yet.

        The node, too, must be known to have found our side of each, as what is sent before that is
        lost without notice.
        """
        writers = self._writers
        missing = [
            topic.name
            for topic in subscribed
            if topic.name in writers and not _joined(writers[topic.name])
        ]
        missing += [topic.name for topic in published if not self._listening.connected(topic.name)]
        if not missing and self._parameters and not self._set_parameters():
            return [topic.name for topic in (*subscribed, *published)]
        return missing

    def unmatched(self) -> list[str]:
        return self._refused + [line for server in self._servers for line in server.unmatched()]

    def _client(self, service: Service) -> Client:
        if service.name not in self._clients:
            self._clients[service.name] = Client(self._participant, service)
        return self._clients[service.name]

    def _set_parameters(self) -> bool:
        """Return False where the node has not announced itself yet, or not answered at first."""
        now = time.monotonic()
        self._joined_at = self._joined_at or now
        nodes = [n for n in self._discovery.nodes() if n.name == self._node and n.complete]
        parameters = NodeParameters(self._participant, nodes[0]) if nodes else None
        if parameters is not None and parameters.settable():
            try:
                self._refused += parameters.set(self._parameters)
            except (NoReplyError, CdrError, ValueError) as error:
                if isinstance(error, NoReplyError) and now - self._joined_at < _ANNOUNCED_S:
                    return False  # nothing shows whether it had found us
                self._refused.append(f"{self._node}: its parameters could not be set ({error})")
        elif now - self._joined_at < _ANNOUNCED_S:
            return False
        else:
            self._refused.append(
                f"{self._node}: has no set_parameters service, so parameters recorded at run time "
                "are not set"
            )
        self._parameters = {}
        return True

    def _server_vendor(self, service: Service) -> int:
        """Return the vendor of the node, whose calling convention counts; 0: no such service."""
        for node in self._discovery.nodes():
            if service.name in {each.name for each in graph_of(node, ()).provides}:
                return node.participant.vendor
        return 0


def _joined(writer: _dds.Writer) -> bool:
    return writer.readers() > 0 and writer.unconfirmed() == 0
