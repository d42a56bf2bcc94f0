# SPDX-License-Identifier: Apache-2.0
"""Definitions of message and service types, which publishers and providers have, not the master."""

from __future__ import annotations

from wirecost.replay.middleware import Qos, Service, Topic
from wirecost.replay.ros1.service import shake_hands_with_provider
from wirecost.replay.ros1.sockets import PeerError

LATCHED = Qos(durability="transient_local", depth=1)
ANY = "*"


class Definitions:
    """Keeps what publishers sent in their headers, and asks each provider once."""

    def __init__(self, caller: str) -> None:
        self._caller = caller
        self._topics: dict[str, Topic] = {}
        self._services: dict[tuple[str, str], Service] = {}

    def learn(self, name: str, header: dict[str, str]) -> None:
        """Learn from a publisher's connection header.

        A topic counts as latched where one of its publishers latches.
        """
        former = self._topics.get(name)
        latched = header.get("latching") == "1" or (former is not None and former.qos == LATCHED)
        md5sum = header.get("md5sum", ANY)
        if md5sum != ANY:
            self._topics[name] = Topic(
                name,
                header.get("type", ""),
                md5sum,
                header.get("message_definition", ""),
                LATCHED if latched else Qos(),
            )

    def topic(self, name: str, type_: str) -> Topic:
        """Describe a topic as its publishers sent it; else by name and the master's type."""
        return self._topics.get(name) or Topic(name, type_)

    def service(self, name: str, uri: str) -> Service:
        """Return a service with its provider's type; empty where the provider gives none."""
        if (name, uri) not in self._services:
            try:
                connection, fields = shake_hands_with_provider(
                    uri, name, self._caller, {"probe": "1"}
                )
            except PeerError:
                return Service(name, "")
            connection.close()
            self._services[name, uri] = Service(
                name, fields.get("type", ""), fields.get("md5sum", "")
            )
        return self._services[name, uri]
