# SPDX-License-Identifier: Apache-2.0
"""The master of an isolated ROS 1 system: in this process, on loopback, without ROS installed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.parameter_tree import ParameterTree
from wirecost.replay.ros1.slave import Answer, ApiServer
from wirecost.replay.ros1.sockets import PeerError

NAME = "/master"
Owners = dict[str, dict[str, str]]
"""Nodes of a topic: the API of each by its name."""


class MasterApi:
    """The master's and the parameter server's methods, as ROS 1 names them."""

    def __init__(self) -> None:
        self.uri = ""
        self._lock = threading.RLock()
        self._parameters = ParameterTree()
        self._publishers: Owners = {}
        self._subscribers: Owners = {}
        self._services: dict[str, tuple[str, str]] = {}
        self._nodes: dict[str, str] = {}
        self._types: dict[str, str] = {}
        self._parameter_readers: Owners = {}
        # One thread: notifications keep their order.
        self._notifying = ThreadPoolExecutor(1, "wirecost-master")

    def close(self) -> None:
        self._notifying.shutdown(cancel_futures=True)

    def set(self, name: str, value: object) -> None:
        """Set a parameter, as set by us."""
        self.setParam(NAME, name, value)

    # Registration

    def registerPublisher(self, caller: str, topic: str, type_: str, api: str) -> Answer:  # noqa: N802
        with self._lock:
            self._register(caller, api)
            if type_ != "*":
                self._types[topic] = type_
            self._publishers.setdefault(topic, {})[caller] = api
            self._notify_subscribers(topic)
            return 1, "", list(self._subscribers.get(topic, {}).values())

    def unregisterPublisher(self, caller: str, topic: str, api: str) -> Answer:  # noqa: N802
        with self._lock:
            removed = _remove(self._publishers, topic, caller, api)
            if removed:
                self._notify_subscribers(topic)
            return 1, "", removed

    def registerSubscriber(self, caller: str, topic: str, type_: str, api: str) -> Answer:  # noqa: N802
        with self._lock:
            self._register(caller, api)
            if type_ != "*":
                self._types.setdefault(topic, type_)
            self._subscribers.setdefault(topic, {})[caller] = api
            return 1, "", list(self._publishers.get(topic, {}).values())

    def unregisterSubscriber(self, caller: str, topic: str, api: str) -> Answer:  # noqa: N802
        with self._lock:
            return 1, "", _remove(self._subscribers, topic, caller, api)

    def registerService(self, caller: str, service: str, uri: str, api: str) -> Answer:  # noqa: N802
        with self._lock:
            self._register(caller, api)
            self._services[service] = (caller, uri)
            return 1, "", 1

    def unregisterService(self, caller: str, service: str, uri: str) -> Answer:  # noqa: N802
        with self._lock:
            if self._services.get(service) != (caller, uri):
                return 1, "", 0
            del self._services[service]
            return 1, "", 1

    # Looking up

    def lookupNode(self, _caller: str, node: str) -> Answer:  # noqa: N802
        return _found(self._nodes.get(node), f"unknown node {node}")

    def lookupService(self, _caller: str, service: str) -> Answer:  # noqa: N802
        provider = self._services.get(service)
        return _found(provider and provider[1], f"no provider of {service}")

    def getTopicTypes(self, _caller: str) -> Answer:  # noqa: N802
        with self._lock:
            return 1, "", [list(pair) for pair in self._types.items()]

    def getPublishedTopics(self, _caller: str, below: str) -> Answer:  # noqa: N802
        with self._lock:
            topics = [topic for topic in self._publishers if topic.startswith(below)]
            return 1, "", [[topic, self._types.get(topic, "*")] for topic in topics]

    def getSystemState(self, _caller: str) -> Answer:  # noqa: N802
        with self._lock:
            owners = (self._publishers, self._subscribers)
            topics = [[[topic, list(nodes)] for topic, nodes in owned.items()] for owned in owners]
            services = [[name, [provider]] for name, (provider, _) in self._services.items()]
            return 1, "", [*topics, services]

    def getUri(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", self.uri

    def getPid(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", os.getpid()

    # Parameters

    def setParam(self, caller: str, name: str, value: Any) -> Answer:  # noqa: N802
        with self._lock:
            self._parameters.set(name, value)
            full = "/" + name.strip("/")
            for key, readers in self._parameter_readers.items():
                # A namespace changes with what is in it, a leaf with what is above it.
                if f"{full}/".startswith(f"{key}/") or f"{key}/".startswith(f"{full}/"):
                    now = self._parameters.get(key) if self._parameters.has(key) else {}
                    for node, api in readers.items():
                        if node != caller:
                            self._notify(api, "paramUpdate", key, now)
            return 1, "", 0

    def getParam(self, _caller: str, name: str) -> Answer:  # noqa: N802
        return self._parameter(name, lambda: self._parameters.get(name))

    def deleteParam(self, _caller: str, name: str) -> Answer:  # noqa: N802
        def delete() -> int:
            self._parameters.delete(name)
            return 0

        return self._parameter(name, delete)

    def searchParam(self, caller: str, key: str) -> Answer:  # noqa: N802
        with self._lock:
            return _found(self._parameters.search(caller, key), f"no parameter {key}")

    def hasParam(self, _caller: str, name: str) -> Answer:  # noqa: N802
        with self._lock:
            return 1, name, self._parameters.has(name)

    def getParamNames(self, _caller: str) -> Answer:  # noqa: N802
        with self._lock:
            return 1, "", self._parameters.names()

    def subscribeParam(self, caller: str, api: str, name: str) -> Answer:  # noqa: N802
        with self._lock:
            key = "/" + name.strip("/")
            self._parameter_readers.setdefault(key, {})[caller] = api
            return 1, "", self._parameters.get(key) if self._parameters.has(key) else {}

    def unsubscribeParam(self, caller: str, api: str, name: str) -> Answer:  # noqa: N802
        with self._lock:
            key = "/" + name.strip("/")
            return 1, "", _remove(self._parameter_readers, key, caller, api)

    def _register(self, node: str, api: str) -> None:
        before = self._nodes.get(node)
        self._nodes[node] = api
        if before is not None and before != api:
            # ROS's rule: a node that takes another's name ends it.
            self._notifying.submit(_call, before, "shutdown", f"a new node is called {node}")

    def _notify_subscribers(self, topic: str) -> None:
        publishers = list(self._publishers.get(topic, {}).values())
        for api in self._subscribers.get(topic, {}).values():
            self._notify(api, "publisherUpdate", topic, publishers)

    def _notify(self, api: str, method: str, *arguments: Any) -> None:
        with suppress(RuntimeError):  # already closed
            self._notifying.submit(_call, api, method, *arguments)

    def _parameter(self, name: str, act: Callable[[], Any]) -> Answer:
        with self._lock:
            try:
                return 1, "", act()
            except (KeyError, TypeError):
                return -1, f"parameter [{name}] is not set", 0


class MasterServer:
    """The master, running until it is left."""

    def __init__(self, host: str) -> None:
        self.api = MasterApi()
        self._server = ApiServer(host, self.api)
        self.uri = self.api.uri = self._server.uri.rstrip("/")

    def __enter__(self) -> MasterServer:
        self._server.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.__exit__(None, None, None)
        self.api.close()


def _call(api: str, method: str, *arguments: Any) -> None:
    with suppress(PeerError):
        rpc.call(api, method, NAME, *arguments, timeout_s=2)


def _found(value: str | None, otherwise: str) -> Answer:
    return (1, "", value) if value else (-1, otherwise, "")


def _remove(owners: Owners, key: str, caller: str, api: str) -> int:
    if owners.get(key, {}).get(caller) != api:
        return 0
    del owners[key][caller]
    if not owners[key]:
        del owners[key]
    return 1
