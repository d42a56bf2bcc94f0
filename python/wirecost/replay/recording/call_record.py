# SPDX-License-Identifier: Apache-2.0
"""A service call as one message of a recording (docs/formats/recording.md, "Service calls")."""

from __future__ import annotations

import struct

from wirecost.replay.middleware import Call

ENCODING = "wirecost-call"
SCHEMA = "wirecost/Call"
SUFFIX = "/_call"
"""After a service's name in its channel's topic."""
VERSION = 1
FIXED = struct.Struct("<BBqq")
LENGTH = struct.Struct("<I")


def encode(call: Call) -> bytes:
    parts = (call.caller.encode(), (call.error or "").encode(), call.request, call.reply)
    failed = call.error is not None
    head = FIXED.pack(VERSION, failed, call.request_ns, call.reply_ns)
    return head + b"".join(LENGTH.pack(len(part)) + part for part in parts)


def decode(service: str, message: bytes) -> Call:
    """Raise ValueError where the message is no call of a known version."""
    if len(message) < FIXED.size or message[0] != VERSION:
        raise ValueError("not a call of version 1")
    _, failed, request_ns, reply_ns = FIXED.unpack_from(message)
    at = FIXED.size
    parts = []
    for _ in range(4):
        if len(message) - at < LENGTH.size:
            raise ValueError("a call cut short")
        (length,) = LENGTH.unpack_from(message, at)
        at += LENGTH.size
        if len(message) - at < length:
            raise ValueError("a call cut short")
        parts.append(message[at : at + length])
        at += length
    caller, error, request, reply = parts
    return Call(
        service=service,
        caller=caller.decode("utf-8", "replace"),
        request_ns=request_ns,
        reply_ns=reply_ns,
        request=request,
        reply=reply,
        error=error.decode("utf-8", "replace") if failed else None,
    )
