# SPDX-License-Identifier: Apache-2.0
"""The bytes (CDR) of the two message types that carry frames and images to nodes of ROS 2."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from wirecost.messaging.transport.shared.images import Image

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


def image_message(picture: Image, stamp_ns: int, frame_id: str) -> list[bytes | memoryview]:
    """Return the parts of a ``sensor_msgs/Image``; the pixels as they lie.

    ``stamp_ns``: since 1970.
    """
    named, kind = frame_id.encode() + b"\0", picture.encoding.encode() + b"\0"
    head = struct.pack(
        # Numbers lie on multiples of four; the encapsulation is as long.
        f"<4siII{len(named)}s{-len(named) % 4}xIII{len(kind)}sB",
        _ENCAPSULATION,
        *divmod(stamp_ns, 1_000_000_000),
        len(named),
        named,
        picture.height,
        picture.width,
        len(kind),
        kind,
        picture.big_endian,
    )
    sizes = struct.pack("<II", picture.step, len(picture.pixels))
    return [head + bytes(-len(head) % 4) + sizes, picture.pixels]
