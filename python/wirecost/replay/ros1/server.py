# SPDX-License-Identifier: Apache-2.0
"""A TCPROS server: takes connections, reads their headers, and hands them on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from wirecost.replay.ros1.sockets import PeerError, deadline
from wirecost.replay.ros1.tcpros import HANDSHAKE_S, encode, read_header

MAX_CONNECTIONS = 256
Serve = Callable[[socket.socket, dict[str, str]], None]


def refuse(connection: socket.socket, reason: str) -> None:
    """Send a client the reason in TCPROS's form, if it still reads."""
    with suppress(OSError):
        connection.sendall(encode({"error": reason}))


class TcprosServer:
    """Server of TCPROS: each connection's thread calls ``serve`` with the client's header.

    The connection is closed afterwards unless it was detached. A PeerError ends a connection and
    nothing else.
    """

    def __init__(self, host: str, serve: Serve) -> None:
        self._serve = serve
        self._listener = socket.create_server((host, 0), backlog=64)
        self.host = host
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> TcprosServer:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop_listening()
        with self._lock:
            for connection in self._connections:
                # Its thread is waiting in it, and closes it.
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def stop_listening(self) -> None:
        """Stop listening; connections that stand stay."""
        with suppress(OSError):
            # Closing alone would leave the accepting thread waiting.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def connections(self) -> int:
        with self._lock:
            return len(self._connections)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                full = len(self._connections) >= MAX_CONNECTIONS
                if not full:
                    self._connections.add(connection)
            if full:
                connection.close()
                continue
            threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            header = read_header(connection, deadline(HANDSHAKE_S))
            self._serve(connection, header)
        except (PeerError, OSError):
            pass
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()
