# SPDX-License-Identifier: Apache-2.0
"""Prefix, segment table and description of a frame (docs/formats/tensor-frame.md)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from wirecost.messaging.tensor.errors import FrameError
from wirecost.system.errors import UserError

MAGIC = b"WCTF"
VERSION = 1
ALIGNMENT = 64
MOST_HEADER = 16 << 20
CHECKSUM = 1
PREFIX = struct.Struct("<4sHHQIIII")
ENTRY = struct.Struct("<QQ")
CRC = struct.Struct("<I")
HEADER_BYTES = struct.Struct("<I")
HEADER_BYTES_AT = 16
SUM = struct.Struct("<Q")


class Layout(NamedTuple):
    """A checked header. ``segments``: offset and length, bytes; they end before ``end``."""

    header_bytes: int
    total: int
    end: int
    checksum: bool
    segments: tuple[tuple[int, int], ...]
    description: bytes


def aligned(offset: int, to: int = ALIGNMENT) -> int:
    """Return the next multiple."""
    return -(-offset // to) * to


def build(description: bytes, lengths: Sequence[int], checksum: bool) -> tuple[bytes, Layout]:
    """Return a header and its content. Raises UserError where there is too much for one."""
    places = _known_places if len(lengths) <= _MOST_KNOWN else _places
    start, table, crc, layout = places(len(description), tuple(lengths), checksum)
    # The checksum goes on where the table ends: it is that of all but its own four bytes.
    header = b"".join((start, CRC.pack(crc32(description, crc)), table, description))
    return header, layout


def _places(
    description_bytes: int, lengths: tuple[int, ...], checksum: bool
) -> tuple[bytes, bytes, int, Layout]:
    """Return prefix but for its checksum, table, checksum of both, layout without description."""
    header_bytes = PREFIX.size + ENTRY.size * len(lengths) + description_bytes
    if header_bytes > MOST_HEADER:
        raise UserError(
            f"the values that are not tensors need {header_bytes} bytes, more than {MOST_HEADER}: "
            "send lists of numbers as arrays"
        )
    end = header_bytes
    segments = []
    for length in lengths:
        offset = aligned(end) if length else 0
        segments.append((offset, length))
        end = offset + length if length else end
    total = aligned(end, SUM.size) + SUM.size if checksum else end
    table = b"".join(ENTRY.pack(*segment) for segment in segments)
    start = PREFIX.pack(
        MAGIC, VERSION, CHECKSUM if checksum else 0, total, header_bytes, len(lengths), 0, 0
    )[: -CRC.size]
    limit = total - SUM.size if checksum else total
    layout = Layout(header_bytes, total, limit, checksum, tuple(segments), b"")
    return start, table, crc32(table, crc32(start)), layout


_MOST_KNOWN = 256
# Messages of one topic differ in values and seldom in sizes.
_known_places = lru_cache(256)(_places)


def header_of(view: memoryview) -> bytes:
    """Return a copy of the header at the start of a buffer. Raises FrameError.

    It is as long as ``header_size`` says of the copy: a peer that shares the memory may change it
    meanwhile.
    """
    start = bytes(view[: PREFIX.size])
    return start + bytes(view[PREFIX.size : header_size(start, len(view))])


def header_size(start: bytes | memoryview, there: int) -> int:
    """Return bytes of the header at the start of a buffer of ``there`` bytes, within the buffer.

    Raises FrameError.
    """
    if there < PREFIX.size:
        raise FrameError(f"frame: {there} bytes, too short for a frame")
    magic, version, flags, total, header_bytes, count, reserved, _ = PREFIX.unpack_from(start)
    if magic != MAGIC:
        raise FrameError("frame: does not start like a tensor frame")
    if version != VERSION:
        raise FrameError(
            f"frame: version {version}, this program reads {VERSION};"
            " use the same wirecost on both sides"
        )
    if flags & ~CHECKSUM or reserved:
        raise FrameError("frame: uses flags that version 1 does not have")
    if total > there:
        raise FrameError(f"frame: its header says {total} bytes, {there} are there")
    if not PREFIX.size + count * ENTRY.size <= header_bytes <= min(total, MOST_HEADER):
        raise FrameError(f"frame: a header of {header_bytes} bytes is impossible")
    return int(header_bytes)


def parse(header: bytes) -> Layout:
    """Return a header that ``header_of`` gave. Raises FrameError."""
    _, _, flags, total, header_bytes, count, _, crc = PREFIX.unpack_from(header)
    view = memoryview(header)
    if crc32(view[PREFIX.size :], crc32(view[: PREFIX.size - CRC.size])) != crc:
        raise FrameError("frame: its header was changed in transit (CRC differs)")
    checksum = bool(flags & CHECKSUM)
    limit = total - SUM.size if checksum else total
    if checksum and (limit < header_bytes or limit % SUM.size):
        raise FrameError("frame: too short for its checksum")
    table_end = PREFIX.size + count * ENTRY.size
    segments = tuple(ENTRY.iter_unpack(view[PREFIX.size : table_end]))
    end = header_bytes
    for index, (offset, length) in enumerate(segments):
        if not length and not offset:
            continue
        if not length or offset % ALIGNMENT or offset < end or offset > limit - length:
            raise FrameError(f"frame: segment {index} lies outside the frame or in another")
        end = offset + length
    return Layout(header_bytes, total, limit, checksum, segments, header[table_end:])
