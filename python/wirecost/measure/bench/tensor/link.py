# SPDX-License-Identifier: Apache-2.0
"""Lines of JSON between two machines."""

from __future__ import annotations

import socket
from contextlib import suppress

from wirecost.system.channel.json_stream import CHUNK, JsonStream
from wirecost.system.errors import UserError

STUCK_S = 15
"""Seconds after which a peer that takes or answers nothing on TCP's level has gone."""
TEXT = 300
"""Characters of a peer's words that are shown."""


class LinkError(Exception):
    """End of the connection, or a line that is none of this protocol; one line."""


def plain(text: object) -> str:
    """Make a peer's words fit for a terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text)[:TEXT])


def host_port(option: str, text: str) -> tuple[str, int]:
    """Split ``HOST:PORT`` or ``[ADDRESS]:PORT``. Raises UserError."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise UserError(f"{option} {text}: give HOST:PORT, such as 192.168.0.7:7790")
    return host, int(port)


class Link(JsonStream):
    """End of a connection. Methods raise LinkError."""

    def __init__(self, connected: socket.socket, most: int) -> None:
        super().__init__(most)
        self._socket = connected
        connected.settimeout(STUCK_S)
        for level, name, value in (
            (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
            (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
            (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
            (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2),
            (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 5),
            (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STUCK_S * 1000),
        ):
            connected.setsockopt(level, name, value)

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _read(self) -> bytes:
        return self._socket.recv(CHUNK)

    def _write(self, content: bytes) -> None:
        self._socket.sendall(content)

    def _error(self, reason: str) -> LinkError:
        return LinkError(reason)

    def _ended(self, error: OSError | None) -> LinkError:
        if error is None:
            return LinkError("the connection was closed")
        return LinkError(f"the connection was lost ({error.strerror or error})")
