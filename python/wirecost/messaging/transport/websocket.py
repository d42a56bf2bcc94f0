# SPDX-License-Identifier: Apache-2.0
"""WebSocket: a publisher is a server, a subscriber its client, a topic the path.

Messages from server to client are not masked, so that this direction costs one pass less.
"""

from __future__ import annotations

import functools
import logging
import socket
import struct
import threading
import urllib.parse
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from wirecost.messaging.transport.base import MOST_BYTES, ON_LOOPBACK, Capabilities, Frame
from wirecost.messaging.transport.meeting import AtListener
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.settings import (
    DEFAULT,
    OLDEST,
    TCP,
    AskedQuality,
    TransportSetting,
    matched,
)
from wirecost.messaging.transport.shared.discovery import Following, Servers, path_of
from wirecost.messaging.transport.shared.inbox_based import InboxRequester, joined
from wirecost.messaging.transport.shared.server_based import (
    Server,
    ServerPublisher,
    ServerSubscriber,
    ServerTransport,
)
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until

_READ_BYTES = 1 << 18
_STUCK_S = 2


def _host(address: str) -> tuple[str, int]:
    parts = urllib.parse.urlsplit(address)
    try:
        if parts.scheme == "ws" and parts.hostname and parts.port:
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise UserError(f"address {address!r}: ws://host:port is needed, or a folder's path")


def _quiet() -> logging.Logger:
    """Return a silent logger: the library would print a traceback for a peer that breaks off."""
    logger = logging.getLogger("wirecost.websocket")
    logger.setLevel(logging.CRITICAL)
    return logger


def _reply(connection: Any, message: bytes) -> None:
    from websockets.exceptions import ConnectionClosed  # noqa: PLC0415

    with suppress(ConnectionClosed):  # who asked has gone
        connection.send(message)


class _WebSocketServer(Server):
    """Each connection has a thread; a topic's subscribers are connections."""

    def __init__(self, host: str, port: int) -> None:
        from websockets.sync.server import serve  # noqa: PLC0415

        super().__init__()
        try:
            self._server = serve(
                self._serve,
                host,
                port,
                process_request=self._admit,
                compression=None,
                max_size=MOST_BYTES,
                ping_interval=None,
                close_timeout=1,
                logger=_quiet(),
            )
        except OSError as error:
            raise UserError(
                f"ws://{host}:{port} cannot be served ({error.strerror}): all topics of one address"
                " are one process's; give this one another, or none"
            ) from error
        self.address = "ws://{}:{}".format(*self._server.socket.getsockname()[:2])
        # Connections' threads are daemons like it, so that a program that forgets close() ends.
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _admit(self, connection: Any, request: Any) -> Any:
        if request.path in self.topics or request.path in self.services:
            return None
        return connection.respond(404, "nobody publishes or answers here\n")

    def _serve(self, connection: Any) -> None:
        from websockets.exceptions import ConnectionClosed  # noqa: PLC0415

        path = connection.request.path
        stuck = struct.pack("@ll", _STUCK_S, 0)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, stuck)
        if (take := self.services.get(path)) is not None:
            with suppress(ConnectionClosed):
                for message in connection:
                    take((message, functools.partial(_reply, connection)))
            return
        if (connections := self.topics.get(path)) is None:
            return
        connections.add(connection)
        try:
            with suppress(ConnectionClosed):
                for _ in connection:  # nothing is expected; ends when the subscriber has gone
                    pass
        finally:
            connections.discard(connection)

    def close(self) -> None:
        self._server.shutdown()
        for connections in self.topics.values():
            for connection in list(connections):
                connection.close()


class _WebSocketClient:
    """One connection, read by a thread of its own without the library's second one."""

    def __init__(self, address: str, path: str) -> None:
        from websockets.client import ClientProtocol  # noqa: PLC0415
        from websockets.uri import parse_uri  # noqa: PLC0415

        self._protocol = ClientProtocol(parse_uri(address + path), max_size=MOST_BYTES)
        self._lock = threading.Lock()
        self._socket = socket.create_connection(_host(address), _STUCK_S)
        try:
            self._socket.settimeout(None)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._protocol.send_request(self._protocol.connect())
                self._flush()
        except BaseException:
            self._socket.close()
            raise

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._socket.sendall(data)

    def send(self, message: bytes) -> None:
        with self._lock:
            self._protocol.send_binary(message)
            self._flush()

    def read(self, opened: Callable[[], object], put: Callable[[Any], object]) -> None:
        """Call ``opened`` once there is a connection, and ``put`` with messages until it ends."""
        from websockets.frames import Frame as Piece, Opcode  # noqa: I001, PLC0415

        pieces: list[Any] = []
        try:
            while data := self._socket.recv(_READ_BYTES):
                with self._lock:
                    self._protocol.receive_data(data)
                    events = self._protocol.events_received()
                    self._flush()
                for event in events:
                    if not isinstance(event, Piece):
                        if self._protocol.handshake_exc is not None:
                            return
                        opened()
                    elif event.opcode in {Opcode.BINARY, Opcode.TEXT, Opcode.CONT}:
                        pieces.append(event.data)
                        if event.fin:
                            put(pieces[0] if len(pieces) == 1 else b"".join(pieces))
                            pieces = []
        except OSError:
            pass
        finally:
            self._socket.close()

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


class _WebSocketPublisher(ServerPublisher):
    def _send(self, frame: Frame, trailer: bytes) -> bool:
        from websockets.exceptions import ConnectionClosed  # noqa: PLC0415

        self._check_size(frame, "websocket", len(trailer))
        if not self._subscribers:
            return True
        message = joined(frame, trailer)
        delivered = False
        for connection in list(self._subscribers):
            try:
                connection.send(message)
                delivered = True
            except ConnectionClosed:
                self._subscribers.discard(connection)
        return delivered

    def _dismiss(self, subscriber: Any) -> None:
        subscriber.close()


class _WebSocketSubscriber(ServerSubscriber):
    def _follow(self, address: str, ended: threading.Event) -> None:
        try:
            client = _WebSocketClient(address, self.path)
        except OSError:
            return
        self.ends.add(client.close)
        try:
            if not ended.is_set():
                client.read(lambda: None, self.inbox.put)
        finally:
            self.ends.discard(client.close)


class _WebSocketRequester(InboxRequester):
    def __init__(self, servers: Servers, service: str) -> None:
        super().__init__(service)
        self._path = path_of("service", service)
        self._client: _WebSocketClient | None = None
        self._following = Following(servers, self._path, self._follow)

    def _follow(self, address: str, ended: threading.Event) -> None:
        if self._client is not None:
            return
        try:
            client = _WebSocketClient(address, self._path)
        except OSError:
            return

        def opened() -> None:
            self._client = client

        try:
            if not ended.is_set():
                client.read(opened, self.inbox.put)
        finally:
            if self._client is client:
                self._client = None

    def _send(self, message: bytes) -> None:
        client = self._client
        if client is None:
            return
        with suppress(OSError):  # a replier that goes now does not reply
            client.send(message)

    def wait_for_replier(self, timeout: float) -> bool:
        return wait_until(lambda: self._client is not None, timeout)

    def close(self) -> None:
        self._following.close()
        if self._client is not None:
            self._client.close()


class WebSocket(ServerTransport):
    name = "websocket"
    title = "WebSocket"
    package = Package("websockets", ("websockets",))
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=2,
        receive_copies=2,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full="the subscriber's oldest waiting frame is lost; one that reads nothing is cut off"
        " within seconds",
        exposed=ON_LOOPBACK,
    )

    publishes = _WebSocketPublisher
    subscribes = _WebSocketSubscriber
    requests = _WebSocketRequester

    def __init__(self, address: str | None = None) -> None:
        super().__init__(address)
        fixed_address = self._servers.folder is None
        self._bind = _host(self._servers.address) if fixed_address else ("127.0.0.1", 0)

    def _serve(self) -> Server:
        return _WebSocketServer(*self._bind)


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    waits = "the publisher waits, and cuts off who takes 2 s"
    return [
        TransportSetting(
            DEFAULT,
            TCP,
            "the socket's",
            "16",
            waits,
            True,
            longest_wait_s=2.0,
            changed_defaults=(
                "compression None",
                "max_size 1 GiB",
                "ping_interval None",
                "close_timeout 1 s",
                "SO_SNDTIMEO 2 s",
            ),
        ),
        matched(
            asked,
            (TCP, waits),
            (TCP, f"{waits}; {OLDEST}"),
            sender="the socket's",
            longest_wait_s=2.0,
            in_program="blocking send, SO_SNDTIMEO 2 s; a callback that waits for room in a queue"
            f" of {asked.queue}",
        ),
    ]


TRANSPORTS = (WebSocket,)
MEETINGS = {"websocket": AtListener("ws://{}:{}")}
PLUGIN_ORDER = 7
