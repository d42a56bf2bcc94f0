# SPDX-License-Identifier: Apache-2.0
"""Copying, as ROS 1 does (TCPROS): over a loopback socket into new memory of each subscriber."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable

LENGTH = struct.Struct("<I")
"""TCPROS puts the length before each message."""


class TcpPublisher:
    """One socket and one thread a subscriber."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = str(self._listening.getsockname()[1])
        self._connections: list[socket.socket] = []
        self._map = memoryview(b"")

    def load(self, size: int, fill: Callable[[memoryview], None]) -> memoryview:
        self._map = memoryview(bytearray(size))
        fill(self._map)
        return self._map

    def accept(self, count: int) -> None:
        for _ in range(count):
            connection, _ = self._listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.append(connection)

    def publish(self) -> None:
        threads = [threading.Thread(target=self._send, args=(one,)) for one in self._connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _send(self, connection: socket.socket) -> None:
        connection.sendall(LENGTH.pack(len(self._map)))
        connection.sendall(self._map)


class TcpSubscriber:
    """Receives each message into a buffer made for it."""

    def __init__(self, address: str) -> None:
        self._connection = socket.create_connection(("127.0.0.1", int(address)))
        self._buffer = bytearray()

    def receive(self) -> memoryview:
        header = bytearray(LENGTH.size)
        self._fill(memoryview(header))
        self._buffer = bytearray(LENGTH.unpack(header)[0])
        view = memoryview(self._buffer)
        self._fill(view)
        return view

    def release(self) -> None:
        self._buffer = bytearray()

    def _fill(self, view: memoryview) -> None:
        while view:
            count = self._connection.recv_into(view)
            if count == 0:
                raise ConnectionError("the publisher hung up")
            view = view[count:]
