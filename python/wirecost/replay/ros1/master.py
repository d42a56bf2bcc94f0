# SPDX-License-Identifier: Apache-2.0
"""The master of a ROS 1 system, as its clients see it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.sockets import LOOPBACK, PeerError, address_of
from wirecost.system.errors import UserError

DEFAULT_URI = "http://localhost:11311"
OWN = "/wirecost_"
"""Beginning of the names of our own nodes."""


def on_loopback(uri: str) -> dict[str, str]:
    """Return variables of programs that share the master at a URI of this machine alone."""
    return {"ROS_MASTER_URI": uri, "ROS_HOSTNAME": LOOPBACK, "ROS_IP": LOOPBACK}


@dataclass(frozen=True)
class SystemState:
    """Nodes by what they publish, subscribe and provide."""

    publishers: dict[str, list[str]]
    subscribers: dict[str, list[str]]
    services: dict[str, list[str]]


class Master:
    """Calls in the name of one node."""

    def __init__(self, uri: str, caller: str) -> None:
        self.uri = uri
        self.caller = caller

    @classmethod
    def of_environment(cls, caller: str) -> Master:
        """Return the master of $ROS_MASTER_URI, else of ROS's default.

        Raises:
            UserError: the variable is not a URI, or no master answers there.
        """
        value = os.environ.get("ROS_MASTER_URI")
        uri = value or DEFAULT_URI
        where = f"ROS_MASTER_URI is {value}" if value else f"ROS_MASTER_URI is not set, so {uri}"
        master = cls(uri, caller)
        try:
            address_of(uri, "http")
            master.system_state()
        except PeerError as error:
            raise UserError(
                f"no ROS master: {where}: {error}; start roscore or set ROS_MASTER_URI"
            ) from None
        return master

    def system_state(self) -> SystemState:
        match self._call("getSystemState"):
            case [list(publishers), list(subscribers), list(services), *_]:
                return SystemState(
                    _names_by_key(publishers), _names_by_key(subscribers), _names_by_key(services)
                )
        raise PeerError(f"the master at {self.uri} gives no system state")

    def topic_types(self) -> dict[str, str]:
        types = self._call("getTopicTypes")
        pairs = types if isinstance(types, list) else []
        return {str(name): str(type_) for name, type_ in (p for p in pairs if _is_pair(p))}

    def node_uri(self, node: str) -> str:
        return str(self._call("lookupNode", node))

    def service_uri(self, service: str) -> str:
        return str(self._call("lookupService", service))

    def parameters(self) -> Any:
        return self._call("getParam", "/")

    def subscribe(self, topic: str, own_uri: str) -> list[str]:
        """Return the URIs of its publishers now; later ones come by publisherUpdate."""
        uris = self._call("registerSubscriber", topic, "*", own_uri)
        return [str(uri) for uri in uris] if isinstance(uris, list) else []

    def unsubscribe(self, topic: str, own_uri: str) -> None:
        self._call("unregisterSubscriber", topic, own_uri)

    def publish(self, topic: str, type_: str, own_uri: str) -> None:
        self._call("registerPublisher", topic, type_, own_uri)

    def provide(self, service: str, service_uri: str, own_uri: str) -> None:
        """Register as the service's provider, instead of any other."""
        self._call("registerService", service, service_uri, own_uri)

    def withdraw(self, service: str, service_uri: str) -> None:
        self._call("unregisterService", service, service_uri)

    def _call(self, method: str, *arguments: Any) -> Any:
        return rpc.call(self.uri, method, self.caller, *arguments)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2


def _names_by_key(pairs: list[Any]) -> dict[str, list[str]]:
    return {
        str(key): [str(name) for name in names]
        for key, names in (pair for pair in pairs if _is_pair(pair))
        if isinstance(names, list)
    }
