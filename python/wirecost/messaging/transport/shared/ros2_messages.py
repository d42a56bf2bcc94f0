# SPDX-License-Identifier: Apache-2.0
"""The bytes (CDR) of the message type that carries frames to nodes of ROS 2."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer

_ENCAPSULATION = b"\0\1\0\0"
"""CDR, little-endian."""
_ARRAY = struct.Struct("<4sIII")
"""Encapsulation; of a UInt8MultiArray no dimensions, no offset and the bytes of the data."""


def array_head(size: int) -> bytes:
    """Return what precedes ``size`` bytes of data in a ``std_msgs/UInt8MultiArray``: 16 bytes."""
    return _ARRAY.pack(_ENCAPSULATION, 0, 0, size)


def array_data(message: Buffer) -> memoryview:
    """Return the data of a received ``std_msgs/UInt8MultiArray``; all of what is none such."""
    view = memoryview(message)
    if len(view) >= _ARRAY.size:
        encapsulation, dimensions, _, size = _ARRAY.unpack_from(view)
        # An encapsulation may state how many bytes of padding end the message.
        if (encapsulation[:2], dimensions) == (_ENCAPSULATION[:2], 0):
            return view[_ARRAY.size : _ARRAY.size + size]
    return view
