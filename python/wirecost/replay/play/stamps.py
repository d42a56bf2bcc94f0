# SPDX-License-Identifier: Apache-2.0
"""The time stamp of messages that begin with a std_msgs/Header, without decoding the rest."""

from __future__ import annotations

import re
import struct

from wirecost.data.messages import cdr

HEADERS = {"Header", "std_msgs/Header", "std_msgs/msg/Header"}
FIRST_FIELD = re.compile(r"^\s*(?P<type>[\w/]+)\s+(?P<name>\w+)\s*(?P<constant>=)?")
SEQ_BYTES = 4
ROS1 = struct.Struct(f"<{SEQ_BYTES}xII")
"""seq, then seconds and nanoseconds."""
CDR = {order: struct.Struct(f"{order}{cdr.HEADER_BYTES}xiI") for order in "<>"}
"""Seconds and nanoseconds behind CDR's header."""


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
    else:
        try:
            encoding = cdr.representation(message)
        except ValueError:
            return None
        if encoding.form not in (cdr.PLAIN, cdr.PLAIN2):
            return None
        seconds, nanoseconds = CDR[encoding.order].unpack_from(message)
    if nanoseconds >= 10**9 or (seconds, nanoseconds) == (0, 0):
        return None
    return int(seconds) * 10**9 + int(nanoseconds)
