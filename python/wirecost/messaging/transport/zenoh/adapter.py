# SPDX-License-Identifier: Apache-2.0
"""Zenoh without a router, with its makers' defaults: large messages go through shared memory.

Each process is a peer that listens on a Unix socket and connects to those that were there before
it. Nothing is scouted. The Python binding takes and gives bytes, so that neither side can do
without copies: the frame's message is laid out first, and what was received is copied out of what
zenoh holds.
"""

from __future__ import annotations

import atexit
import functools
import json
import re
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from urllib.parse import quote

from wirecost.messaging.transport.base import (
    Capabilities,
    Frame,
    Publisher,
    Replier,
    Requester,
    Sample,
    Subscriber,
    Transport,
)
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.shared.inbox_based import (
    InboxReplier,
    InboxRequester,
    InboxSubscriber,
)
from wirecost.messaging.transport.shared.rendezvous import MOST_PATH, beside, meet, private_folder
from wirecost.messaging.transport.shared.server_process import running
from wirecost.messaging.transport.zenoh.memory import (
    POOL,
    allow_locks,
    one_line,
    remove_own,
    sweep,
)
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.locks import Lock
from wirecost.system.waiting import wait_until

STUCK = "transport/link/tx/queue/congestion_control/block/wait_before_close"
STUCK_US = 2_000_000
"""A publisher waits for a subscriber whose sockets are full; then it is cut off."""
LOOK_S = 0.002
ROUTER = "wirecost.messaging.transport.zenoh.router"
MOST_FOLDER = MOST_PATH - len("/1234567-12345678.sock.lock")


def key_of(topic: str) -> str:
    """Return a key expression for a topic: no wildcards, no empty parts. Raises UserError."""
    if not topic:
        raise UserError("zenoh: a topic must have a name")
    return "/".join(quote(part) or "%" for part in topic.split("/"))


class _Port:
    """Endpoint that has declared something to zenoh, and takes that back when it is closed."""

    _port: Any

    def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            port.undeclare()
        super().close()  # type: ignore[misc]  # the endpoint's own


class ZenohPublisher(_Port, Publisher):
    """Publisher that lays the message out in memory that it keeps; zenoh copies that in ``put``."""

    def __init__(self, transport: Zenoh, topic: str) -> None:
        super().__init__()
        zenoh = transport.library
        self._error = zenoh.ZError
        self._laid_out = bytearray()
        self._port: Any = transport.session.declare_publisher(
            key_of(topic),
            congestion_control=zenoh.CongestionControl.BLOCK
            if transport.quality.waits(own=True)
            else zenoh.CongestionControl.DROP,
        )

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        size = frame.nbytes + len(trailer)
        self._check_size(frame, "zenoh", len(trailer))
        if len(self._laid_out) != size:
            self._laid_out = bytearray(size)
        frame.write_into(self._laid_out)
        self._laid_out[frame.nbytes :] = trailer
        try:
            self._put(self._laid_out)
        except self._error as error:
            raise UserError(f"zenoh cannot send: {one_line(error)}") from error
        return True

    def _put(self, message: bytearray) -> None:
        self._port.put(message)

    def wait_for_subscriber(self, timeout: float) -> bool:
        return wait_until(lambda: bool(self._port.matching_status.matching), timeout, LOOK_S)


class ZenohSubscriber(_Port, InboxSubscriber):
    def __init__(self, transport: Zenoh, topic: str, depth: int) -> None:
        quality = transport.quality
        super().__init__(depth, quality.waits() and not quality.get("overwrites", False))
        self._port: Any = transport.session.declare_subscriber(
            key_of(topic), transport.direct(lambda sample: self.inbox.put(sample.payload))
        )

    def _receive(self, timeout: float | None) -> tuple[bytes, None] | None:
        # Not where it arrives: what is lost for want of room is not copied either.
        payload = self.inbox.take(timeout)
        return None if payload is None else (payload.to_bytes(), None)


class _ZenohRequester(_Port, InboxRequester):
    def __init__(self, transport: Zenoh, service: str) -> None:
        super().__init__(service)
        self._transport = transport
        self._key = key_of(service)
        self._timeout = 0.0
        self._port: Any = transport.session.declare_querier(self._key)

    def ask(self, frame: Frame, timeout: float) -> Sample:
        self._timeout = timeout
        return super().ask(frame, timeout)

    def _send(self, message: bytes) -> None:
        self._transport.session.get(
            self._key,
            self._transport.direct(self._take),
            payload=message,
            timeout=self._timeout + 1,
            congestion_control=self._transport.library.CongestionControl.BLOCK,
        )

    def _take(self, reply: Any) -> None:
        if reply.ok is not None:
            self.inbox.put(reply.ok.payload.to_bytes())

    def wait_for_replier(self, timeout: float) -> bool:
        return wait_until(lambda: bool(self._port.matching_status.matching), timeout, LOOK_S)


class _ZenohReplier(_Port, InboxReplier):
    def __init__(self, transport: Zenoh, service: str) -> None:
        super().__init__()
        self._block = transport.library.CongestionControl.BLOCK
        self._key = key_of(service)
        self._port: Any = transport.session.declare_queryable(
            self._key, transport.direct(self.inbox.put)
        )

    def _next(self, timeout: float | None) -> Any:
        query = self.inbox.take(timeout)
        if query is None:
            return None

        def reply(message: bytes) -> None:
            query.reply(self._key, message, congestion_control=self._block)
            query.drop()

        return query.payload.to_bytes() if query.payload else b"", reply


_E = TypeVar("_E", ZenohPublisher, ZenohSubscriber, _ZenohRequester, _ZenohReplier)


class Zenoh(Transport):
    """Zenoh between peers that meet in a folder of the user's.

    ``address``: a router's, ``tcp/host:port``, which then is between all.
    """

    name: ClassVar[str] = "zenoh"
    title: ClassVar[str] = "Zenoh"
    package = Package("eclipse-zenoh", ("zenoh",))
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=3,
        receive_copies=1,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full="a slow subscriber loses the oldest beyond its depth; one that hangs is waited for"
        f" {STUCK_US / 1e6:g} s and cut off",
        kept="a publisher's pool of 17 MB in shared memory until its process ends",
    )
    sender: ClassVar[type[ZenohPublisher]] = ZenohPublisher
    listener: ClassVar[type[ZenohSubscriber]] = ZenohSubscriber

    def __init__(self, address: str | None = None) -> None:
        if address and not re.fullmatch(r"(tcp|udp|tls|quic|unixsock-stream)/\S+", address):
            raise UserError(f"{self.name}: address {address!r} must be like tcp/127.0.0.1:7447")
        super().__init__(address)
        try:
            import zenoh  # noqa: PLC0415
        except ImportError as error:
            raise UserError(f"{self.name}: {error}; pip install eclipse-zenoh") from error
        self.library: Any = zenoh
        allow_locks()
        sweep()
        self._place: Lock | None = None
        self._socket: Path | None = None
        if address:
            self.session: Any = self._session(None, [address])
        else:
            with meet(private_folder("zenoh", MOST_FOLDER)) as (self._place, self._socket, others):
                self.session = self._session(self._socket, others)
        self._open: list[Any] = []
        _OPEN.add(self)
        _at_end()

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        try:
            yield None
        finally:
            sweep()

    @classmethod
    @contextmanager
    def server_at(cls, host: str) -> Iterator[str | None]:
        """Run a router."""
        with scratch.folder(cls.name) as folder:

            def command(port: int) -> list[str]:
                return [sys.executable, "-P", "-m", ROUTER, host, str(port)]

            with running(command, folder / "log", host=host) as port:
                yield f"tcp/{host}:{port}"

    def _session(self, socket: Path | None, others: Sequence[Any]) -> Any:
        if socket is None:
            settings = self._settings(None, list(others))
        else:
            listen, *connect = (f"unixsock-stream/{path}" for path in (socket, *others))
            settings = self._settings(listen, connect)
        try:
            return self.library.open(settings)
        except self.library.ZError as error:
            self._leave()
            why = one_line(error)
            raise UserError(
                f"{self.name}: no session: {why}"
                if socket
                else f"{self.name}: no session ({why}); start a router at {self.address}"
            ) from error

    def _settings(self, listen: str | None, connect: list[Any]) -> Any:
        settings = self.library.Config()
        # As nodes of ROS 2 are: they learn of each other from the router, and then do without it.
        direct = not listen and self.quality.get("peer", False)
        if direct:
            host = connect[0].partition("/")[2].rpartition(":")[0]
            listen = f"tcp/{host}:0"
        values: dict[str, Any] = {
            "mode": "peer" if listen else "client",
            "scouting/multicast/enabled": False,
            "scouting/gossip/enabled": direct,
            "listen/endpoints": [listen] if listen else [],
            "connect/endpoints": connect,
            "connect/timeout_ms": 0 if listen and not direct else 3000,
            "connect/exit_on_failure": direct or not listen,
            "connect/retry": {
                "period_init_ms": 20,
                "period_max_ms": 1000,
                "period_increase_factor": 2,
            },
        }
        if not self.quality.untouched:
            values[STUCK] = STUCK_US
        for name, value in values.items():
            settings.insert_json5(name, json.dumps(value))
        return settings

    def direct(self, callback: Callable[[Any], None]) -> Any:
        """Return a handler that zenoh's own thread calls, without another between."""
        return self.library.handlers.Callback(callback, indirect=False)

    def _made(self, make: Callable[[], _E], name: str) -> _E:
        try:
            end = make()
        except self.library.ZError as error:
            raise UserError(f"{self.name}: {name!r} cannot be opened: {one_line(error)}") from error
        return self._kept(end)

    def publisher(self, topic: str) -> Publisher:
        return self._made(lambda: self.sender(self, topic), topic)

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        return self._made(lambda: self.listener(self, topic, depth), topic)

    def requester(self, service: str) -> Requester:
        return self._made(lambda: _ZenohRequester(self, service), service)

    def replier(self, service: str) -> Replier:
        return self._made(lambda: _ZenohReplier(self, service), service)

    def close(self) -> None:
        super().close()
        session, self.session = self.session, None
        if session is not None:
            session.close()
            self._leave()

    def _leave(self) -> None:
        if self._place is not None and self._socket is not None:
            self._place.release(*beside(self._socket))


_OPEN: weakref.WeakSet[Zenoh] = weakref.WeakSet()


@functools.cache
def _at_end() -> None:
    atexit.register(_end)


def _end() -> None:
    """Remove what zenoh leaves behind a process that ends after others have."""
    for transport in list(_OPEN):
        transport.close()
    POOL.end()
    remove_own()
