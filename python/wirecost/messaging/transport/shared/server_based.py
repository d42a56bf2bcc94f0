# SPDX-License-Identifier: Apache-2.0
"""Base of middlewares whose publishers and repliers are servers.

One server is for all of a transport's, found by its offers.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from wirecost.messaging.transport.base import Publisher, Requester, Subscriber, Transport
from wirecost.messaging.transport.quality import OWN, Quality
from wirecost.messaging.transport.shared.discovery import Following, Offer, Servers, path_of
from wirecost.messaging.transport.shared.inbox_based import InboxReplier, InboxSubscriber
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until


class Server(ABC):
    """Server that listens at ``address`` once it is made."""

    address: str
    quality: Quality = OWN

    def __init__(self) -> None:
        self.topics: dict[str, set[Any]] = {}
        """The subscribers that each topic's path has now."""
        self.services: dict[str, Callable[[Any], None]] = {}
        """Receivers of requests, by the service's path."""

    @abstractmethod
    def close(self) -> None:
        """End it and its connections."""


class ServerPublisher(Publisher):
    """Publisher that knows its topic's subscribers."""

    def __init__(self, server: Server, path: str, offer: Offer | None) -> None:
        super().__init__()
        self._server = server
        self._path = path
        self._offer = offer
        self._subscribers = server.topics[path]

    @abstractmethod
    def _dismiss(self, subscriber: Any) -> None:
        """Let one know that nothing more comes."""

    def wait_for_subscriber(self, timeout: float) -> bool:
        return wait_until(lambda: bool(self._subscribers), timeout)

    def close(self) -> None:
        if self._offer is not None:
            self._offer.close()
        if self._server.topics.get(self._path) is self._subscribers:
            del self._server.topics[self._path]
        for subscriber in list(self._subscribers):
            self._dismiss(subscriber)
        super().close()


class ServerSubscriber(InboxSubscriber):
    """Subscriber that receives from every server of its topic."""

    def __init__(self, servers: Servers, topic: str, depth: int, waits: bool = False) -> None:
        super().__init__(depth, waits)
        self.path = path_of("topic", topic)
        self.ends: set[Callable[[], object]] = set()
        """Functions that end the connections."""
        self._following = Following(servers, self.path, self._follow)

    @abstractmethod
    def _follow(self, address: str, ended: threading.Event) -> None:
        """Follow one server, as ``Following`` calls it."""

    def close(self) -> None:
        self._following.close()
        for end in list(self.ends):
            end()
        super().close()


class _ServerReplier(InboxReplier):
    offer: Offer | None = None

    def __init__(self, server: Server, path: str) -> None:
        super().__init__()
        self._server = server
        self._path = path
        server.services[path] = self.inbox.put

    def close(self) -> None:
        if self.offer is not None:
            self.offer.close()
        self._server.services.pop(self._path, None)


class ServerTransport(Transport):
    """Transport that starts its server with its first publisher or replier."""

    publishes: ClassVar[type[ServerPublisher]]
    subscribes: ClassVar[Callable[..., Subscriber]]
    requests: ClassVar[Callable[..., Requester]]

    def __init__(self, address: str | None = None) -> None:
        super().__init__(address)
        self._servers = Servers(self.name, address)
        self._server: Server | None = None

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        with Servers.of_their_own() as folder:
            yield folder

    @abstractmethod
    def _serve(self) -> Server:
        """Listen at the given address, else on loopback and a free port. Raises UserError."""

    def _own(self) -> Server:
        if self._server is None:
            self._server = self._serve()
            self._server.quality = self.quality
        return self._server

    def publisher(self, topic: str) -> Publisher:
        server, path = self._own(), path_of("topic", topic)
        if path in server.topics:
            raise UserError(
                f"topic {topic!r}: this process publishes it already; use that publisher"
            )
        server.topics[path] = set()
        return self.publishes(server, path, self._servers.offer(path, server.address))

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        return self.subscribes(self._servers, topic, depth, self.quality.waits(makers=True))

    def requester(self, service: str) -> Requester:
        return self.requests(self._servers, service)

    def replier(self, service: str) -> InboxReplier:
        server, path = self._own(), path_of("service", service)
        if path in server.services:
            raise UserError(
                f"service {service!r}: this process answers it already; use that replier"
            )
        replier = _ServerReplier(server, path)
        replier.offer = self._servers.offer(path, server.address)
        return replier

    def close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
