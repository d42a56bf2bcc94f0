# SPDX-License-Identifier: Apache-2.0
"""The time stamp of messages that begin with a std_msgs/Header, without decoding the rest."""

from __future__ import annotations

import re
import struct

HEADERS = {"Header", "std_msgs/Header", "std_msgs/msg/Header"}
FIRST_FIELD = re.compile(r"^\s*(?P<type>[\w/]+)\s+(?P<name>\w+)\s*(?P<constant>=)?")
SEQ_BYTES = 4
ROS1 = struct.Struct(f"<{SEQ_BYTES}xII")
"""seq, then seconds and nanoseconds."""
CDR = {0x00: struct.Struct(">4xiI"), 0x01: struct.Struct("<4xiI"), 0x06: struct.Struct(">4xiI"),
       0x07: struct.Struct("<4xiI")}  # fmt: skip
"""By the second byte of the encapsulation: CDR and plain CDR2; then seconds and nanoseconds."""


def begins_with_header(type_name: str, definition: str) -> bool:
    """Return whether messages begin with a header.

    ``definition``: text of a ``.msg``, what it refers to behind a line of ``=``.
    """
    if type_name in HEADERS:
        return True
    for raw in definition.splitlines():
        line = raw.partition("#")[0]
        match = FIRST_FIELD.match(line)
        if line.startswith("====="):
            return False
        if match and not match["constant"]:
            return match["type"] in HEADERS
    return False


def stamp_ns(profile: str, message: bytes) -> int | None:
    """Return the header's stamp in nanoseconds; None if not set or the message is too short."""
    if len(message) < ROS1.size:
        return None
    if profile == "ros1":
        seconds, nanoseconds = ROS1.unpack_from(message)
    elif message[0] == 0 and message[1] in CDR:
        seconds, nanoseconds = CDR[message[1]].unpack_from(message)
    else:
        return None
    if nanoseconds >= 10**9 or (seconds, nanoseconds) == (0, 0):
        return None
    return int(seconds) * 10**9 + int(nanoseconds)
