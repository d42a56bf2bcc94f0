# SPDX-License-Identifier: Apache-2.0
"""A recorder in a running ROS 1 system."""

from __future__ import annotations

import difflib
import os
import socket
import xmlrpc.client
from contextlib import ExitStack, suppress
from typing import Any, Self

from wirecost._middleware import Queue
from wirecost.replay.middleware import ALL, Call, NodeGraph, Publishers, Service, Topic
from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.definitions import Definitions
from wirecost.replay.ros1.master import OWN, Master, SystemState
from wirecost.replay.ros1.restorer import Restorer
from wirecost.replay.ros1.slave import ApiServer, SlaveApi
from wirecost.replay.ros1.sockets import LOOPBACK, PeerError, address_of, is_local
from wirecost.replay.ros1.subscriptions import Subscriptions
from wirecost.system.errors import UserError

LOGGER_SERVICES = ("/get_loggers", "/set_logger_level")
"""Every node has them; no node calls another's."""


class Ros1Recorder:
    """``Recorder`` in the system of $ROS_MASTER_URI."""

    def __init__(self) -> None:
        self._name = f"{OWN}record_{os.getpid()}"
        self._left = ExitStack()
        self._subscribed: set[str] = set()
        self._watched: set[str] = set()
        self._notes: list[str] = []
        self._pids: dict[str, int | None] = {}
        self._reachable: bool | None = None

    def __enter__(self) -> Self:
        self._master = Master.of_environment(self._name)
        with ExitStack() as stack:
            host = self._host = own_host(self._master.uri)
            self._definitions = Definitions(self._name)
            self._subscriptions = Subscriptions(self._name, self._definitions.learn)
            stack.callback(self._subscriptions.close)
            api = SlaveApi(self._master.uri, self._subscriptions.set_publishers)
            self._uri = stack.enter_context(ApiServer(host, api)).uri
            self._restorer = stack.enter_context(
                Restorer(self._master, self._name, self._uri, host)
            )
            stack.callback(self._unsubscribe)
            self._left = stack.pop_all()
        return self

    def __exit__(self, *raised: object) -> None:
        self._left.close()

    def nodes(self) -> list[str]:
        return _nodes(self._state())

    def graph(self, node: str) -> NodeGraph:
        state = self._state()
        name = "/" + node.strip("/")
        nodes = _nodes(state)
        if name not in nodes:
            near = difflib.get_close_matches(name, nodes, 3, 0.4) or nodes[:10]
            nearest = f"the nearest are {', '.join(near)}" if near else "no node is running"
            raise UserError(f"{name}: no such node at the master {self._master.uri}; {nearest}")
        try:
            types = self._master.topic_types()
        except PeerError as error:
            raise self._lost(error) from None

        def topics(of: dict[str, list[str]]) -> list[Topic]:
            own = sorted(topic for topic, owners in of.items() if name in owners)
            return [self._definitions.topic(topic, types.get(topic, "*")) for topic in own]

        owners = {service: self._owner(service, names) for service, names in state.services.items()}
        return NodeGraph(
            name,
            self._pid(name),
            topics(state.subscribers),
            topics(state.publishers),
            [self._service(service) for service in sorted(owners) if owners[service] == name],
            [
                self._service(service)
                for service in sorted(owners)
                if owners[service] != name and not service.endswith(LOGGER_SERVICES)
            ],
        )

    def listen(self, topic: Topic, channel: int, queue: Queue, of: Publishers = ALL) -> None:
        self._subscriptions.add(topic.name, channel, queue, of)
        if topic.name in self._subscribed:
            return
        self._restorer.will_subscribe(topic.name)
        try:
            publishers = self._master.subscribe(topic.name, self._uri)
        except PeerError as error:
            raise self._lost(error) from None
        self._subscribed.add(topic.name)
        self._subscriptions.set_publishers(topic.name, publishers)

    def watch_services(self, graph: NodeGraph) -> None:
        if self._reachable is None:
            self._reachable = self._reachable_by_all()
        if not self._reachable:
            return
        provided = {service.name for service in graph.provides}
        for service in (*graph.provides, *graph.calls):
            if service.name in self._watched or service.name.endswith(LOGGER_SERVICES):
                continue
            self._watched.add(service.name)
            # Only the node's own calls of the others' services are of interest.
            self._restorer.watch(service.name, None if service.name in provided else graph.name)

    def calls(self) -> list[Call]:
        return self._restorer.calls()

    def parameters(self, node: str) -> dict[str, object]:  # noqa: ARG002 (a node may read all)
        try:
            tree = self._master.parameters()
        except PeerError as error:
            raise self._lost(error) from None
        return flatten(tree)

    def notes(self) -> list[str]:
        notes, self._notes = self._notes, []
        return notes + self._subscriptions.notes() + self._restorer.notes()

    def _state(self) -> SystemState:
        try:
            return self._master.system_state()
        except PeerError as error:
            raise self._lost(error) from None

    def _lost(self, error: PeerError) -> UserError:
        return UserError(f"the ROS master {self._master.uri} does not answer any more: {error}")

    def _pid(self, node: str) -> int | None:
        """Asked of the node itself, once; of another machine it would be of no use."""
        try:
            uri = self._master.node_uri(node)
            if uri in self._pids:
                return self._pids[uri]
            here = is_local(address_of(uri, "http")[0])
            pid = rpc.call(uri, "getPid", self._name) if here else None
        except PeerError as error:
            self._notes.append(f"{node}: its process is not known: {error}")
            return None
        self._pids[uri] = pid if isinstance(pid, int) and pid > 0 else None
        return self._pids[uri]

    def _reachable_by_all(self) -> bool:
        """Return whether every node can call a service of ours; on loopback, this machine's can."""
        if self._host != LOOPBACK:
            return True
        for node in self.nodes():
            with suppress(PeerError):
                host, _ = address_of(self._master.node_uri(node), "http")
                if not is_local(host):
                    self._notes.append(
                        f"service calls are not recorded, since {node} runs on {host} and could "
                        "not make them any more; set ROS_IP to this machine's address"
                    )
                    return False
        return True

    def _owner(self, service: str, owners: list[str]) -> str:
        former = self._restorer.former_provider(service)
        intercepted = former is not None and any(owner.startswith(OWN) for owner in owners)
        return former.node if former is not None and intercepted else "".join(owners[:1])

    def _service(self, name: str) -> Service:
        former = self._restorer.former_provider(name)
        uri = former.service_uri if former is not None else ""
        with suppress(PeerError):
            uri = uri or self._master.service_uri(name)
        return self._definitions.service(name, uri) if uri else Service(name, "")

    def _unsubscribe(self) -> None:
        for topic in self._subscribed:
            with suppress(PeerError):
                self._master.unsubscribe(topic, self._uri)


def own_host(master_uri: str) -> str:
    """Return where others reach us: on loopback, unless the user or the master requires another."""
    own = os.environ.get("ROS_HOSTNAME") or os.environ.get("ROS_IP")
    if own and is_local(own):
        return own
    host, port = address_of(master_uri, "http")
    if is_local(host):
        return LOOPBACK
    with socket.create_connection((host, port), 5) as connection:
        return str(connection.getsockname()[0])


def flatten(value: Any, name: str = "") -> dict[str, object]:
    """Return a parameter tree as full names and JSON values; what JSON lacks becomes text."""
    if isinstance(value, dict):
        leaves: dict[str, object] = {}
        for key, below in value.items():
            leaves |= flatten(below, f"{name}/{key}")
        return leaves
    return {name or "/": _plain(value)}


def _plain(value: Any) -> object:
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        return {str(key): _plain(element) for key, element in value.items()}
    if isinstance(value, xmlrpc.client.Binary):
        return value.data.decode("latin-1")
    if isinstance(value, xmlrpc.client.DateTime):
        return str(value)
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _nodes(state: SystemState) -> list[str]:
    kinds = (state.publishers, state.subscribers, state.services)
    names = {name for kind in kinds for owners in kind.values() for name in owners}
    return sorted(name for name in names if not name.startswith(OWN))
