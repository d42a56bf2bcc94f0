# SPDX-License-Identifier: Apache-2.0
"""ZeroMQ without a proxy: a publisher binds, subscribers connect. A topic has one publisher.

Frames are written into the memory of libzmq's own message, which is the one copy; pyzmq can only
copy a message that lies in one piece already, or lend memory that a thread of its own takes back.
"""

from __future__ import annotations

import os
import re
import select
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from wirecost.messaging.transport.base import (
    ON_LOOPBACK,
    Capabilities,
    Frame,
    Publisher,
    Replier,
    Request,
    Requester,
    Sample,
    Subscriber,
    Transport,
)
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import Quality
from wirecost.messaging.transport.shared.rendezvous import (
    LEAST_NAME,
    MOST_NAME,
    MOST_PATH,
    claim,
    file_name,
    port_of,
    private_folder,
)
from wirecost.messaging.transport.shared.trailer import MAGIC, TRAILER, new_stream, split
from wirecost.messaging.transport.zeromq.socket import START, Library, Socket
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

WAITING = 32
"""Messages that wait for each subscriber at the publisher, beside its own ``depth``."""
MAKERS_WAITING = 1000
"""Messages that may wait by libzmq's own choice."""
LOOK_S = 0.0001
LINGER_MS = 500
LISTEN_EVERY = 8
"""Frames between looks at libzmq's news: who came and went, and what was taken from the queues,
which seem full until then."""


class _ZeroMQPublisher(Publisher):
    def __init__(self, library: Library, quality: Quality) -> None:
        super().__init__()
        self._waits = quality.waits()
        self.end = Socket(
            library,
            library.zmq.XPUB,
            sndhwm=quality.room(WAITING, MAKERS_WAITING),
            xpub_nodrop=int(self._waits),
            linger=LINGER_MS,
        )
        self._again = library.zmq.Again
        self._pollin = library.zmq.POLLIN
        self._subscribed = False

    def _listen(self) -> None:
        """Take libzmq's messages on the first subscription and the end of the last."""
        while self.end.socket.events & self._pollin:
            for news in self.end.receive(0) or ():
                if news.bytes[:1] in {b"\0", b"\1"}:
                    self._subscribed = news.bytes[:1] == b"\1"

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        if not self.sent % LISTEN_EVERY:
            self._listen()
        while True:
            try:
                self.end.library.send(self.end, frame, trailer)
            except self._again:
                # Only where it waits. That there is room is not signalled for each subscriber.
                self._listen()
                time.sleep(LOOK_S)
            else:
                return True

    def trailer(self, start: int = START) -> bytes:
        return super().trailer(start)

    def wait_for_subscriber(self, timeout: float) -> bool:
        end = Deadline(timeout)
        self._listen()
        while not self._subscribed and (seconds_left := end.left) > 0:
            self.end.wait(self._pollin, seconds_left)
            self._listen()
        return self._subscribed

    def close(self) -> None:
        self.end.close()
        super().close()


class _ZeroMQSubscriber(Subscriber):
    def __init__(self, library: Library, depth: int, quality: Quality) -> None:
        super().__init__()
        conflate = quality.get("conflate", False)
        self.end = Socket(library, library.zmq.SUB, rcvhwm=depth, conflate=int(conflate))
        self.end.socket.subscribe(b"")
        self._pollin = library.zmq.POLLIN
        self._more = -1
        self._poll: select.epoll | None = None

    def _receive(self, timeout: float | None) -> tuple[Any, None] | None:
        message = self.end.one(timeout)
        if self._more >= 0:
            self._notify()
        return None if message is None else (message, None)

    def fileno(self) -> int:
        # libzmq's descriptor reports changes only; for what still waits there is another one.
        if self._poll is None:
            self._more = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            self._poll = select.epoll()
            self._poll.register(self._more, select.EPOLLIN)
            self._poll.register(self.end.socket.fileno(), select.EPOLLIN)
            self._notify()
        return self._poll.fileno()

    def _notify(self) -> None:
        with suppress(BlockingIOError):
            os.eventfd_read(self._more)
        if self.end.socket.events & self._pollin:
            os.eventfd_write(self._more, 1)

    def close(self) -> None:
        self.end.close()
        if self._poll is not None:
            self._poll.close()
            os.close(self._more)
            self._poll, self._more = None, -1


class _ZeroMQRequester(Requester):
    """Requester that numbers its requests: a late reply is not taken for the next."""

    def __init__(self, library: Library, service: str) -> None:
        self.end = Socket(library, library.zmq.DEALER, immediate=1)
        self._zmq = library.zmq
        self._service = service
        self._stream = new_stream()
        self._number = 0

    def ask(self, frame: Frame, timeout: float) -> Sample:
        end = Deadline(timeout)
        self._number += 1
        if not self.wait_for_replier(timeout):
            raise UserError(f"{self._service}: nobody answers requests; start its replier")
        trailer = TRAILER.pack(self._stream, self._number, START, MAGIC)
        with suppress(self._zmq.Again):
            self.end.library.send(self.end, frame, trailer)
        while (seconds_left := end.left) > 0:
            parts = self.end.receive(seconds_left)
            if parts is not None:
                stream, number, view = split(parts[-1])
                if (stream, number) == (self._stream, self._number):
                    return Sample(view, stream, number)
        raise UserError(f"{self._service}: no reply within {timeout:g} s")

    def wait_for_replier(self, timeout: float) -> bool:
        return self.end.wait(self._zmq.POLLOUT, timeout)

    def close(self) -> None:
        self.end.close()


class _ZeroMQReplier(Replier):
    def __init__(self, library: Library) -> None:
        self.end = Socket(library, library.zmq.ROUTER, linger=LINGER_MS, router_mandatory=1)
        self._zmq = library.zmq

    def take(self, timeout: float | None = None) -> Request | None:
        parts = self.end.receive(timeout)
        if parts is None:
            return None
        stream, number, view = split(parts[-1])
        sender: list[bytes] = [part.bytes for part in parts[:-1]]

        def answer(frame: Frame) -> None:
            if not sender:
                raise UserError("a request is answered once; this one was")
            envelope = sender.copy()
            sender.clear()
            trailer = TRAILER.pack(stream, number, START, MAGIC)
            # A requester that is gone needs no reply.
            with suppress(self._zmq.ZMQError):
                self.end.library.send(self.end, frame, trailer, envelope)

        return Request(Sample(view, stream, number), answer)

    def close(self) -> None:
        self.end.close()


_E = TypeVar("_E", _ZeroMQPublisher, _ZeroMQSubscriber, _ZeroMQRequester, _ZeroMQReplier)


class _ZeroMQ(Transport):
    """Base of both kinds of endpoint."""

    package = Package("pyzmq", ("zmq",))

    def __init__(self, address: str | None = None) -> None:
        super().__init__(address)
        try:
            self._library = Library()
        except (ImportError, OSError, AttributeError) as error:
            raise UserError(f"{self.name}: {error}; pip install pyzmq") from error

    @abstractmethod
    def _endpoint(self, kind: str, name: str, bind: bool) -> tuple[str, list[Callable[[], object]]]:
        """Return where ``name`` is, and what to do when its socket is closed, last first."""

    def _attach(self, end: _E, kind: str, name: str, bind: bool) -> _E:
        try:
            endpoint, on_close = self._endpoint(kind, name, bind)
        except BaseException:
            end.close()
            raise
        end.end.attach(endpoint, bind, *on_close)
        self._open = [opened for opened in self._open if not opened.end.socket.closed] + [end]
        return end

    def publisher(self, topic: str) -> Publisher:
        return self._attach(_ZeroMQPublisher(self._library, self.quality), "topic", topic, True)

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        end = _ZeroMQSubscriber(self._library, depth, self.quality)
        return self._attach(end, "topic", topic, False)

    def requester(self, service: str) -> Requester:
        return self._attach(_ZeroMQRequester(self._library, service), "service", service, False)

    def replier(self, service: str) -> Replier:
        return self._attach(_ZeroMQReplier(self._library), "service", service, True)


FULL = f"what a slow subscriber has no room for ({WAITING} + depth) is lost to it alone"


class ZeroMQ(_ZeroMQ):
    """ZeroMQ over Unix sockets in a folder of the user's, or in the folder ``address``."""

    name: ClassVar[str] = "zeromq"
    title: ClassVar[str] = "ZeroMQ (ipc)"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=0,
        aligned=False,
        request_reply=True,
        other_machines=False,
        full=FULL,
    )

    def _endpoint(self, kind: str, name: str, bind: bool) -> tuple[str, list[Callable[[], object]]]:
        end = f".{kind}.sock"
        longest = MOST_PATH - 1 - LEAST_NAME - len(end)
        folder = Path(self.address) if self.address else private_folder("zeromq", longest)
        room = MOST_PATH - len(os.fsencode(folder)) - 1 - len(end)
        socket = folder / f"{file_name(name, max(LEAST_NAME, min(room, MOST_NAME)))}{end}"
        if len(os.fsencode(socket)) > MOST_PATH:
            raise UserError(
                f"{socket}: longer than the {MOST_PATH} bytes that a socket's path may have; set"
                " XDG_RUNTIME_DIR to a shorter one, or give another address"
            )
        if not bind:
            return f"ipc://{socket}", []
        lock = claim(socket.with_suffix(".lock"), f"{kind} {name!r}")
        return f"ipc://{socket}", [lambda: lock.release(socket)]


class ZeroMQTCP(_ZeroMQ):
    """ZeroMQ over TCP.

    ``address``: ``tcp://host:port``, the one topic or service that is there; without one, those of
    this machine find each other on 127.0.0.1.
    """

    name: ClassVar[str] = "zeromq-tcp"
    title: ClassVar[str] = "ZeroMQ (tcp)"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=0,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full=FULL,
        exposed=ON_LOOPBACK,
    )

    def __init__(self, address: str | None = None) -> None:
        if address and not re.fullmatch(r"tcp://[^/\s]+:\d{1,5}", address):
            raise UserError(f"zeromq-tcp: address {address!r} must be like tcp://127.0.0.1:5555")
        super().__init__(address)

    def _endpoint(self, kind: str, name: str, bind: bool) -> tuple[str, list[Callable[[], object]]]:
        if self.address:
            return self.address, []
        path = private_folder("zeromq-tcp") / f"{file_name(name)}.{kind}.port"
        locks = [claim(path.with_suffix(".lock"), f"{kind} {name!r}")] if bind else []
        lock, port = port_of(path)
        return f"tcp://127.0.0.1:{port}", [held.release for held in (*locks, lock)]
