# SPDX-License-Identifier: Apache-2.0
"""Sends frames as images, and ends connections that take nothing."""

from __future__ import annotations

import fcntl
import socket
import struct
import sys
import termios
import threading
from contextlib import suppress
from typing import Any

from wirecost.messaging.transport.base import Frame, Publisher
from wirecost.messaging.transport.shared.loopback import own_sockets
from wirecost.messaging.transport.yarp.library import ROW, SIZE, yarp
from wirecost.messaging.transport.yarp.port import Port, is_there, known_ports, port_name, style
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until

_STALLED_S = 5.0
"""A subscriber that takes no byte for so long, or up to twice as long, while its publisher sends,
loses its connection."""
_BYTES_ACKED = struct.Struct("<120xQ")
"""The field of Linux's struct tcp_info."""


class _Watch:
    """Watcher that ends the connections of subscribers that take nothing.

    YARP would wait for them without end, and its own timeout would leave a message's rest out and
    go on with the next.
    """

    def __init__(self) -> None:
        self.sending = 0
        """The number of the send that is under way, else 0."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        before: dict[int, int] = {}
        number = 0
        while not self._ended.wait(_STALLED_S):
            acknowledged: dict[int, int] = {}
            if self.sending:
                ports = known_ports()
                for descriptor, own_socket in own_sockets():
                    with suppress(OSError):  # it is not connected
                        if own_socket.getpeername() not in ports:
                            continue
                        info = own_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                        (acknowledged[descriptor],) = _BYTES_ACKED.unpack_from(info)
                        stalled = before.get(descriptor) == acknowledged[descriptor]
                        if stalled and number == self.sending and _unsent(own_socket):
                            own_socket.shutdown(socket.SHUT_RDWR)
            before, number = acknowledged, self.sending

    def close(self) -> None:
        self._ended.set()
        self._thread.join()


def _unsent(one: socket.socket) -> int:
    """Return bytes that the other side has not acknowledged."""
    return int.from_bytes(fcntl.ioctl(one, termios.TIOCOUTQ, bytes(4)), sys.byteorder)


class YarpPublisher(Publisher):
    def __init__(self, topic: str, server: str) -> None:
        super().__init__()
        name = port_name(topic)
        if is_there(name, server) and yarp().Network.exists(name, style()):
            raise UserError(f"topic {topic!r}: another publisher has YARP's port {name}")
        self._port: Port | None = Port(name, server)
        self._watch = _Watch()
        self._rows = bytearray()
        self._image: Any = None

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        self._check_size(frame, "yarp")
        if self._port is None:
            raise UserError("yarp: this publisher is closed")
        size = frame.nbytes + len(trailer)
        height = -(-(SIZE.size + size) // ROW)
        if len(self._rows) != height * ROW:
            self._rows = bytearray(height * ROW)
            self._image = yarp().ImageMono()
            self._image.setExternal(self._rows, ROW, height)
        memory = memoryview(self._rows)
        SIZE.pack_into(memory, 0, size)
        end = SIZE.size + frame.write_into(memory[SIZE.size :])
        memory[end : end + len(trailer)] = trailer
        self._watch.sending = self.sent + self.dropped + 1
        try:
            return bool(self._port.port.write(self._image))
        finally:
            self._watch.sending = 0

    def wait_for_subscriber(self, timeout: float) -> bool:
        port = self._port
        return port is not None and wait_until(lambda: port.port.getOutputCount() > 0, timeout)

    def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            self._watch.sending = -1  # it takes leave of its subscribers
            port.close()
            self._watch.close()
        super().close()
