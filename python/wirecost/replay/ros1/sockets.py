# SPDX-License-Identifier: Apache-2.0
"""Sockets to peers that may lie, hang or trickle: every exchange has an end and a size."""

from __future__ import annotations

import socket
import time
from functools import cache
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
_PIECE = 1 << 20


class PeerError(Exception):
    """The other side is not reachable or does not keep to the protocol; one line."""


class GoneError(PeerError):
    """The peer's process has ended."""


def deadline(seconds: float) -> float:
    """Return the time in so many seconds, as ``receive`` takes it."""
    return time.monotonic() + seconds


def set_time_left(connection: socket.socket, until: float | None) -> None:
    """Let the next operation last no longer than that; None: as long as it takes.

    Raises:
        PeerError: the time is over.
    """
    seconds = None if until is None else until - time.monotonic()
    if seconds is not None and seconds <= 0:
        raise PeerError("it answers too slowly")
    connection.settimeout(seconds)


def receive(connection: socket.socket, count: int, until: float | None) -> bytes:
    """Exactly ``count`` bytes. Memory grows with what came, not with what was announced.

    Raises:
        PeerError: they did not come in time.
    """
    content = bytearray()
    while len(content) < count:
        set_time_left(connection, until)
        try:
            piece = connection.recv(min(count - len(content), _PIECE))
        except TimeoutError:
            raise PeerError("it answers too slowly") from None
        except OSError as error:
            raise PeerError(f"the connection broke: {error.strerror or error}") from None
        if not piece:
            raise PeerError("it closed the connection")
        content += piece
    return bytes(content)


def send(connection: socket.socket, content: bytes, until: float | None) -> None:
    """Send all of it.

    Raises:
        PeerError: the other side did not take it in time.
    """
    set_time_left(connection, until)
    try:
        connection.sendall(content)
    except OSError as error:
        raise PeerError(f"the connection broke: {error.strerror or error}") from None


def connect(host: str, port: int, until: float) -> socket.socket:
    """Return a connection that sends small messages at once.

    Raises:
        GoneError: no process listens there.
        PeerError: no connection for another reason.
    """
    seconds = max(until - time.monotonic(), 0.01)
    try:
        connection = socket.create_connection((host, port), seconds)
    except ConnectionRefusedError:
        raise GoneError(f"no connection to {host}:{port}: Connection refused") from None
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PeerError(f"no connection to {host}:{port}: {reason}") from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def address_of(uri: str, scheme: str) -> tuple[str, int]:
    """Host and port of ``scheme://host:port/``.

    Raises:
        PeerError: it is not of that form.
    """
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or parts.scheme != scheme:
        raise PeerError(f"{uri!r} is not {scheme}://host:port")
    return host, port


@cache
def is_local(host: str) -> bool:
    """Return whether a host's name or address is this machine's: only then can it be bound here."""
    try:
        addresses = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    for family, kind, protocol, _, address in addresses:
        with socket.socket(family, kind, protocol) as probe:
            try:
                probe.bind(address)
            except OSError:
                continue
            return True
    return False
