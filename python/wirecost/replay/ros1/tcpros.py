# SPDX-License-Identifier: Apache-2.0
"""TCPROS: connection headers, and how a subscriber reaches a publisher."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping

from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.sockets import PeerError, connect, deadline, receive, send

MAX_HEADER_BYTES = 1 << 20
"""A header carries a message's whole definition."""
HANDSHAKE_S = 5.0
_LENGTH = struct.Struct("<I")


def encode(fields: Mapping[str, str]) -> bytes:
    """Return a header with its length before it."""
    lines = [f"{name}={value}".encode() for name, value in fields.items()]
    body = b"".join(_LENGTH.pack(len(line)) + line for line in lines)
    return _LENGTH.pack(len(body)) + body


def decode(body: bytes) -> dict[str, str]:
    """Return a header's fields, of its bytes without the length before them.

    Raises:
        PeerError: lengths do not fit, or a field has no name.
    """
    fields = {}
    at = 0
    while at < len(body):
        if at + 4 > len(body):
            raise PeerError("its header is cut")
        (length,) = _LENGTH.unpack_from(body, at)
        at += 4
        if length > len(body) - at:
            raise PeerError(f"its header has a field of {length} bytes, {len(body) - at} are left")
        name, equals, value = body[at : at + length].partition(b"=")
        if not equals:
            raise PeerError("its header has a field without '='")
        fields[name.decode(errors="replace")] = value.decode(errors="replace")
        at += length
    return fields


def read_header(connection: socket.socket, until: float) -> dict[str, str]:
    """Return the header that the other side sends.

    Raises:
        PeerError: none that is one comes in time.
    """
    (length,) = _LENGTH.unpack(receive(connection, 4, until))
    if length > MAX_HEADER_BYTES:
        raise PeerError(f"its header is announced with {length} bytes")
    return decode(receive(connection, length, until))


def shake_hands(
    connection: socket.socket, fields: Mapping[str, str], until: float
) -> dict[str, str]:
    """Send a client's header and return the answer.

    Raises:
        PeerError: the other side refuses.
    """
    send(connection, encode(fields), until)
    answer = read_header(connection, until)
    if "error" in answer:
        raise PeerError(answer["error"].strip())
    return answer


def subscribe(publisher_uri: str, caller: str, topic: str) -> tuple[socket.socket, dict[str, str]]:
    """Return a connection on which the topic's messages come, and the publisher's header.

    Raises:
        PeerError: the publisher is not reachable or refuses.
    """
    until = deadline(HANDSHAKE_S)
    protocol = rpc.call(
        publisher_uri, "requestTopic", caller, topic, [["TCPROS"]], timeout_s=HANDSHAKE_S
    )
    match protocol:
        case ["TCPROS", str(host), int(port)]:
            connection = connect(host, port, until)
        case _:
            raise PeerError(f"{publisher_uri} offers {topic} by no TCPROS")
    fields = {
        "callerid": caller,
        "topic": topic,
        "type": "*",
        "md5sum": "*",
        "tcp_nodelay": "1",
    }
    try:
        return connection, shake_hands(connection, fields, until)
    except BaseException:
        connection.close()
        raise
