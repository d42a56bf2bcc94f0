# SPDX-License-Identifier: Apache-2.0
"""gRPC: a publisher is a server whose stream a subscriber reads; a request is a unary call.

Messages are bytes as they are: no Protocol Buffers between.
"""

from __future__ import annotations

import importlib
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, ClassVar

from wirecost.messaging.transport.base import MOST_BYTES, ON_LOOPBACK, Capabilities, Frame
from wirecost.messaging.transport.meeting import AtListener
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.settings import DEFAULT, AskedQuality, TransportSetting, matched
from wirecost.messaging.transport.shared.discovery import Servers, path_of
from wirecost.messaging.transport.shared.inbox import Inbox
from wirecost.messaging.transport.shared.inbox_based import InboxRequester, joined
from wirecost.messaging.transport.shared.server_based import (
    Server,
    ServerPublisher,
    ServerSubscriber,
    ServerTransport,
)
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until

_WAITING = 16
"""Frames that wait for one subscriber at the publisher."""
_LONGEST_S = 86_400.0
_OPTIONS = [
    ("grpc.max_send_message_length", MOST_BYTES),
    ("grpc.max_receive_message_length", MOST_BYTES),
    ("grpc.so_reuseport", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.enable_http_proxy", 0),
    # Subscribers of a stopped and restarted server must not share its broken connection.
    ("grpc.use_local_subchannel_pool", 1),
]


def _grpc() -> Any:
    # This file's own name is the package's.
    return importlib.import_module("grpc")


class _Threads(Executor):
    """A daemon thread for each call, so that a program that forgets ``close`` ends all the same."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def run() -> None:
            try:
                future.set_result(work(*args, **named))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        return future


class _GrpcServer(Server):
    """A call has a thread; a topic's subscribers are inboxes."""

    def __init__(self, target: str) -> None:
        super().__init__()
        grpc = _grpc()
        outer = self

        class Handler(grpc.GenericRpcHandler):  # type: ignore[misc, name-defined]
            def service(self, call: Any) -> Any:
                if call.method in outer.topics:
                    return grpc.unary_stream_rpc_method_handler(outer.stream(call.method))
                if call.method in outer.services:
                    return grpc.unary_unary_rpc_method_handler(outer.call(call.method))
                return None

        self._server = grpc.server(_Threads(), handlers=[Handler()], options=_OPTIONS)
        try:
            port = self._server.add_insecure_port(target)
        except RuntimeError as error:
            raise UserError(
                f"{target} cannot be served: all topics of one address are one process's; give this"
                " one another, or none"
            ) from error
        self.address = f"{target.rpartition(':')[0]}:{port}"
        self._server.start()

    def stream(self, path: str) -> Callable[[bytes, Any], Iterator[bytes]]:
        """Return what runs for one subscriber."""

        def send(_: bytes, context: Any) -> Iterator[bytes]:
            inboxes = self.topics.get(path)
            if inboxes is None:
                return
            quality = self.quality
            inbox = Inbox(quality.room(_WAITING, 1), quality.waits(makers=True))
            if not context.add_callback(lambda: _end(inbox)):
                return
            inboxes.add(inbox)
            try:
                yield b""  # what is sent from now on arrives
                while message := inbox.take(None):
                    yield message
            finally:
                inboxes.discard(inbox)

        return send

    def call(self, path: str) -> Callable[[bytes, Any], bytes]:
        """Return what runs for one request."""

        def answer(request: bytes, context: Any) -> bytes:
            reply: queue.SimpleQueue[bytes] = queue.SimpleQueue()
            take = self.services.get(path)
            if request and take is not None and context.add_callback(lambda: reply.put(b"")):
                take((request, reply.put))
                return reply.get()
            return b""

        return answer

    def close(self) -> None:
        self._server.stop(0.2).wait(2)


def _end(subscriber: Inbox) -> None:
    """Let the stream of one that has gone end, and nobody wait for it."""
    subscriber.never_wait()
    subscriber.put(b"")


class _GrpcPublisher(ServerPublisher):
    def _send(self, frame: Frame, trailer: bytes) -> bool:
        self._check_size(frame, "grpc", len(trailer))
        if self._subscribers:
            message = joined(frame, trailer)
            for inbox in list(self._subscribers):
                inbox.put(message)
        return True

    def _dismiss(self, subscriber: Inbox) -> None:
        _end(subscriber)


class _GrpcSubscriber(ServerSubscriber):
    def _follow(self, address: str, ended: threading.Event) -> None:
        grpc = _grpc()
        with grpc.insecure_channel(address, options=_OPTIONS) as channel:
            call = channel.unary_stream(self.path)(b"")
            self.ends.add(call.cancel)
            try:
                if ended.is_set():
                    call.cancel()
                for message in call:
                    if message:
                        self.inbox.put(message)
            except grpc.RpcError:
                pass  # it has gone, or is not there yet
            finally:
                self.ends.discard(call.cancel)


class _GrpcRequester(InboxRequester):
    def __init__(self, servers: Servers, service: str) -> None:
        super().__init__(service)
        self._servers = servers
        self._path = path_of("service", service)
        self._channel: Any = None
        self._address = ""

    def _send(self, message: bytes) -> None:
        call = self._channel.unary_unary(self._path).future(
            message, timeout=_LONGEST_S, wait_for_ready=True
        )

        def done(call: Any) -> None:
            with suppress(_grpc().RpcError, _grpc().FutureCancelledError):
                if reply := call.result():
                    self.inbox.put(reply)

        call.add_done_callback(done)

    def wait_for_replier(self, timeout: float) -> bool:
        return wait_until(self._connect, timeout, 0.02)

    def _connect(self) -> bool:
        addresses = self._servers.of(self._path)
        if self._channel is not None:
            if self._address in addresses:
                return True
            self._drop()
        for address in addresses:
            self._channel = _grpc().insecure_channel(address, options=_OPTIONS)
            self._address = address
            try:
                # An empty request is answered at once, where there is a replier.
                self._channel.unary_unary(self._path)(b"", timeout=0.2)
            except _grpc().RpcError:
                self._drop()
            else:
                return True
        return False

    def _drop(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def close(self) -> None:
        self._drop()


class Grpc(ServerTransport):
    name = "grpc"
    title = "gRPC"
    package = Package("grpcio", ("grpc",))
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=2,
        receive_copies=2,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full="the oldest waiting frame of that subscriber is lost",
        exposed=ON_LOOPBACK,
    )

    publishes = _GrpcPublisher
    subscribes = _GrpcSubscriber
    requests = _GrpcRequester

    def __init__(self, address: str | None = None) -> None:
        super().__init__(address)
        if self._servers.folder is None and ":" not in self._servers.address:
            raise UserError(f"address {address!r}: host:port is needed, or a folder's path")

    def _serve(self) -> Server:
        fixed_address = self._servers.folder is None
        return _GrpcServer(self._servers.address if fixed_address else "127.0.0.1:0")


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    stream = "HTTP/2's, while connected"
    return [
        TransportSetting(
            DEFAULT,
            stream,
            "1",
            "1",
            "the publisher waits",
            True,
            options={"depth": 1},
            changed_defaults=tuple(f"{name} {value}" for name, value in _OPTIONS),
        ),
        matched(
            asked,
            (stream, "the publisher waits"),
            (stream, "the oldest is lost, at either end"),
            in_program=f"a server stream, and a queue of {asked.queue} for each subscriber, for"
            " whose room the sender waits",
        ),
    ]


TRANSPORTS = (Grpc,)
MEETINGS = {"grpc": AtListener("{}:{}")}
PLUGIN_ORDER = 6
