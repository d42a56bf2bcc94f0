# SPDX-License-Identifier: Apache-2.0
"""Service calls over TCPROS: a request in a frame, a reply in a frame after a byte of success."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from wirecost.replay.ros1.sockets import PeerError, address_of, connect, deadline, receive, send
from wirecost.replay.ros1.tcpros import HANDSHAKE_S, shake_hands

MAX_CALL_BYTES = 256 << 20
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True)
class Reply:
    """``content`` is the reply where ``ok``, else the reason in words."""

    ok: bool
    content: bytes


def shake_hands_with_provider(
    uri: str, service: str, caller: str, fields: Mapping[str, str]
) -> tuple[socket.socket, dict[str, str]]:
    """Return a connection to call by, and the provider's header.

    ``fields`` go beside the usual ones.

    Raises:
        PeerError: the provider is not reachable or refuses.
    """
    until = deadline(HANDSHAKE_S)
    host, port = address_of(uri, "rosrpc")
    connection = connect(host, port, until)
    usual = {"callerid": caller, "service": service, "md5sum": "*"}
    try:
        return connection, shake_hands(connection, {**usual, **fields}, until)
    except BaseException:
        connection.close()
        raise


def read_frame(connection: socket.socket, until: float | None = None) -> bytes:
    """Return a request, or a reply after its first byte.

    Raises:
        PeerError: it did not come whole, or is announced beyond measure.
    """
    (length,) = _LENGTH.unpack(receive(connection, 4, until))
    if length > MAX_CALL_BYTES:
        raise PeerError(f"it announces {length} bytes in a service call")
    return receive(connection, length, until)


def frame(content: bytes) -> bytes:
    return _LENGTH.pack(len(content)) + content


def send_reply(connection: socket.socket, reply: Reply, until: float | None = None) -> None:
    send(connection, bytes([reply.ok]) + frame(reply.content), until)


def exchange(connection: socket.socket, request: bytes, until: float | None = None) -> Reply:
    """Return one call on a connection that stands.

    Raises:
        PeerError: no reply came.
    """
    send(connection, frame(request), until)
    (ok,) = receive(connection, 1, until)
    return Reply(bool(ok), read_frame(connection, until))
