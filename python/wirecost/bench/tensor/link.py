# SPDX-License-Identifier: Apache-2.0
"""Lines of JSON between two machines: bounded, and nothing in them is run."""

from __future__ import annotations

import json
import select
import socket
import time
from contextlib import suppress
from typing import Any

CHUNK = 1 << 20
STUCK_S = 15
"""A peer that takes or answers nothing on TCP's level for that long has gone."""
TEXT = 300
"""Characters of a peer's words that are shown."""


class LinkError(Exception):
    """The connection has ended, or what came is no line of this protocol; one line."""


def plain(text: object) -> str:
    """A peer's words, fit for a terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text)[:TEXT])


def host_port(option: str, text: str) -> tuple[str, int]:
    """Of ``HOST:PORT`` or ``[ADDRESS]:PORT``. Raises LinkError."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise LinkError(f"{option} {text}: give HOST:PORT, such as 192.168.0.7:7790")
    return host, int(port)


class Link:
    """One end of a connection. ``most``: bytes of a line that is accepted."""

    def __init__(self, connected: socket.socket, most: int) -> None:
        self._socket = connected
        self._most = most
        self._rest = bytearray()
        self._seen = 0
        """Bytes of the rest that hold no end of a line."""
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

    def send(self, message: dict[str, Any]) -> None:
        """Raises LinkError."""
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise LinkError(f"the connection was lost ({error.strerror or error})") from error

    def receive(self, within: float) -> dict[str, Any] | None:
        """The next line, None if none comes within ``within`` seconds. Raises LinkError."""
        deadline = time.monotonic() + within
        while True:
            if (found := self.next()) is not None:
                return found
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._socket], [], [], left)[0]:
                return None
            self.take()

    def take(self) -> None:
        """Reads what has come. Raises LinkError at the end."""
        try:
            content = self._socket.recv(CHUNK)
        except OSError as error:
            raise LinkError(f"the connection was lost ({error.strerror or error})") from error
        if not content:
            raise LinkError("the connection was closed")
        self._rest += content

    def next(self) -> dict[str, Any] | None:
        """A line that has been read, if it is whole. Raises LinkError for what is none."""
        end = self._rest.find(b"\n", self._seen)
        if max(end, len(self._rest) if end < 0 else 0) > self._most:
            raise LinkError(f"a line is longer than {self._most} bytes")
        if end < 0:
            self._seen = len(self._rest)
            return None
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        self._seen = 0
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            raise LinkError("a line is not JSON") from None
        if not isinstance(message, dict):
            raise LinkError("a line is not a JSON object")
        return message

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
