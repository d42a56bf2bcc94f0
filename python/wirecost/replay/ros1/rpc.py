# SPDX-License-Identifier: Apache-2.0
"""Calls of ROS 1's XML-RPC APIs, bounded in time and size."""

from __future__ import annotations

import xmlrpc.client
from typing import Any
from urllib.parse import urlsplit
from xml.parsers.expat import ExpatError

from wirecost.replay.ros1.sockets import (
    PeerError,
    address_of,
    connect,
    deadline,
    send,
    set_time_left,
)

MAX_RESPONSE_BYTES = 64 << 20
"""A parameter server may hold a robot's description with its meshes."""
_PIECE = 1 << 16
_MALFORMED = (ExpatError, xmlrpc.client.Error, ArithmeticError, ValueError, LookupError, TypeError)


class RefusedError(PeerError):
    """The API was reached and refuses."""


def call(uri: str, method: str, *arguments: Any, timeout_s: float = 5) -> Any:
    """Return the value of ``[code, status, value]``, the form of every answer of ROS 1.

    Raises:
        RefusedError: the code is not 1.
        PeerError: not reachable, too slow, too long, or no such answer.
    """
    return value_of(_asked(uri, method, arguments, timeout_s), f"{uri} {method}")


def answer_of(uri: str, method: str, *arguments: Any, timeout_s: float = 5) -> Any:
    """Return an answer of any form, as roscpp gives of its statistics. Raises PeerError."""
    return _answer(_asked(uri, method, arguments, timeout_s), f"{uri} {method}")


def _asked(uri: str, method: str, arguments: tuple[Any, ...], timeout_s: float) -> bytes:
    body = xmlrpc.client.dumps(arguments, method, allow_none=True).encode()
    return _post(uri, body, timeout_s)


def value_of(response: bytes, source: str) -> Any:
    """Return the value of an answer's XML; as ``call``, which names its ``source``."""
    match _answer(response, source):
        case [int(code), status, value]:
            if code != 1:
                raise RefusedError(str(status))
            return value
    raise PeerError(f"{source} answers with something else than code, status and value")


def _answer(response: bytes, source: str) -> Any:
    """Return what an answer's XML holds. Raises PeerError."""
    try:
        (answer,), _ = xmlrpc.client.loads(response)
    except xmlrpc.client.Fault as fault:
        raise RefusedError(str(fault.faultString)) from None
    except _MALFORMED:
        raise PeerError(f"{source} does not answer as XML-RPC") from None
    return answer


def _post(uri: str, body: bytes, timeout_s: float) -> bytes:
    until = deadline(timeout_s)
    host, port = address_of(uri, "http")
    # HTTP/1.0: the answer ends where the connection ends, at the latest.
    head = (
        f"POST {urlsplit(uri).path or '/RPC2'} HTTP/1.0\r\nHost: {host}:{port}\r\n"
        f"Content-Type: text/xml\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with connect(host, port, until) as connection:
        send(connection, head.encode() + body, until)
        response = bytearray()
        length: int | None = None
        while length is None or len(response) < length:
            set_time_left(connection, until)
            try:
                piece = connection.recv(_PIECE)
            except OSError as error:
                raise PeerError(f"{uri}: {error.strerror or error}") from None
            if not piece:
                break
            response += piece
            if length is None:
                length = _length(response)
            if max(len(response), length or 0) > MAX_RESPONSE_BYTES:
                raise PeerError(f"{uri} answers with more than {MAX_RESPONSE_BYTES} bytes")
    head_end = response.find(b"\r\n\r\n")
    status = bytes(response[: response.find(b"\r\n")]).split(b" ")
    if head_end < 0 or len(status) < 2 or status[1] != b"200":
        raise PeerError(f"{uri} does not answer as XML-RPC over HTTP")
    return bytes(response[head_end + 4 : length])


def _length(response: bytearray) -> int | None:
    """Return bytes of head and body together, once the head is complete and has a length."""
    end = response.find(b"\r\n\r\n")
    if end < 0:
        return None
    for line in bytes(response[:end]).split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return end + 4 + int(value.strip()[:12])
    return None
