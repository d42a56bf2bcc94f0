# SPDX-License-Identifier: Apache-2.0
"""Transports with a server program between the peers, to which each endpoint has a connection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from wirecost.messaging.transport.base import Publisher, Replier, Requester, Subscriber, Transport
from wirecost.messaging.transport.shared.server_process import NoServerError, program, running
from wirecost.system import scratch


class Linked:
    """An endpoint with a connection to the broker, ``_link``."""

    def close(self) -> None:
        self._link.close()  # type: ignore[attr-defined]  # of the type that the endpoint gives it
        super().close()  # type: ignore[misc]  # the endpoint's own


class BrokerTransport(Transport):
    broker: ClassVar[str]
    """The program, and the Debian package that has it; ``-c FILE`` names its configuration."""
    configuration: ClassVar[str]
    """With ``{host}`` and ``{port}``."""

    publishes: ClassVar[Callable[..., Publisher]]
    subscribes: ClassVar[Callable[..., Subscriber]]
    requests: ClassVar[Callable[..., Requester]]
    replies: ClassVar[Callable[..., Replier]]
    """The endpoints' classes, of an address and a name; publishers and subscribers also of the
    quality, before which a subscriber has its depth."""

    @classmethod
    def no_server(cls) -> str | None:
        if program(cls.broker) is not None:
            return None
        return f"no server: apt install {cls.broker}, or give another one's address"

    @classmethod
    @contextmanager
    def server_at(cls, host: str) -> Iterator[str | None]:
        path = program(cls.broker)
        if path is None:
            raise NoServerError(f"{cls.name}: {cls.no_server()}")
        with scratch.folder(cls.name) as folder:
            file = folder / "configuration"

            def command(port: int) -> list[str]:
                file.write_text(cls.configuration.format(host=host, port=port))
                return [path, "-c", str(file)]

            environment = {**os.environ, "LC_ALL": "C"}
            with running(command, folder / "log", environment, host) as port:
                yield f"{host}:{port}"

    def publisher(self, topic: str) -> Publisher:
        return self.publishes(self.address, topic, self.quality)

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        return self.subscribes(self.address, topic, depth, self.quality)

    def requester(self, service: str) -> Requester:
        return self.requests(self.address, service)

    def replier(self, service: str) -> Replier:
        return self.replies(self.address, service)
