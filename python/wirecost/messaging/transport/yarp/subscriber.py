# SPDX-License-Identifier: Apache-2.0
"""Receives images where YARP's threads read them to, and connects again and again."""

from __future__ import annotations

import ctypes
import secrets
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

from wirecost.messaging.transport.shared.inbox_based import InboxSubscriber
from wirecost.messaging.transport.yarp.library import SIZE, yarp
from wirecost.messaging.transport.yarp.port import Port, is_there, port_name, style

_CONNECT_S = 0.2
"""Between looks for the publisher, as long as there is no connection."""
_SPARE_IMAGES = 2


@cache
def _reader() -> type[Any]:
    """Return the class of what YARP's threads call with a message."""
    library = yarp()
    kind = library.Port().getType()
    kind.disown()  # it would be no one's to delete, of which the binding complains

    base: Any = library.PortReader

    class Reader(base):  # type: ignore[misc]
        def __init__(self, take: Callable[[Any], object]) -> None:
            super().__init__()
            self._take = take
            self._spare: list[Any] = []

        def read(self, connection: Any) -> bool:
            if not connection.isValid():
                return False  # the port closes
            image = self._spare.pop() if self._spare else library.ImageMono()
            there = connection.getSize()
            if not image.read(connection) or image.getRawImageSize() > there:
                return False  # it announces more than comes
            self._take((image, self))
            return True

        def getReadType(self) -> Any:  # noqa: N802
            return kind

        def give_back(self, image: Any) -> None:
            """Give the memory back, which takes another message of the same size."""
            if len(self._spare) < _SPARE_IMAGES:
                self._spare.append(image)

    return Reader


def _content(image: Any) -> memoryview:
    """Return the message in an image's memory."""
    size = image.getRawImageSize()
    memory = (ctypes.c_ubyte * size).from_address(int(image.getRawImage())) if size else b""
    view = memoryview(memory).cast("B")
    if size >= SIZE.size:
        (length,) = SIZE.unpack_from(view)
        if length <= size - SIZE.size:
            return view[SIZE.size : SIZE.size + length]
    return view  # a stranger's image, which the trailer's check finds


class YarpSubscriber(InboxSubscriber):
    """If it ``waits``, of more than ``depth`` messages the later ones do so at their publisher."""

    def __init__(self, topic: str, server: str, depth: int, waits: bool) -> None:
        super().__init__(depth, waits)
        self._source, self._server = port_name(topic), server
        self._reader = _reader()(self.inbox.put)
        self._port = Port(f"{self._source}/wirecost-{secrets.token_hex(8)}", server, self._reader)
        self._open = True
        self._changing = threading.Lock()
        self.connect()

    def connect(self) -> None:
        """Connect to the publisher if that is there, and not connected."""
        with self._changing:
            if not self._open or self._port.port.getInputCount():
                return
            if is_there(self._source, self._server):
                yarp().Network.connect(self._source, self._port.name, style())

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        message = self.inbox.take(timeout)
        if message is None:
            return None
        image, reader = message
        return _content(image), lambda: reader.give_back(image)

    def close(self) -> None:
        with self._changing:
            if not self._open:
                return
            self._open = False
            super().close()
            # A port that closes would ask its publisher without end, which may be stopped.
            port, network = self._port.port, yarp().Network
            if port.getInputCount():
                network.disconnect(self._source, self._port.name, style())
            if port.getInputCount():
                network.disconnectInput(self._port.name, self._source, True)
            self._port.close()


class Connecting:
    """Thread that connects a transport's subscribers again and again: publishers come and go."""

    def __init__(self) -> None:
        self._subscribers: weakref.WeakSet[YarpSubscriber] = weakref.WeakSet()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, subscriber: YarpSubscriber) -> None:
        self._subscribers.add(subscriber)

    def _run(self) -> None:
        while not self._ended.wait(_CONNECT_S):
            for subscriber in list(self._subscribers):
                subscriber.connect()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
