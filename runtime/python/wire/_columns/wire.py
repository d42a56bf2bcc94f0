# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format: walking over the fields of a message in a buffer, writing tags."""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from .._wirecost import WireError
from .node import FIXED32, FIXED64, LENGTH, VARINT

Buffer = bytes | bytearray | memoryview | mmap | npt.NDArray[Any]
"""Whatever lies in one piece of memory."""
DEPTH = 100
"""How deep groups and messages may be nested."""
_GROUP, _END_GROUP = 3, 4
LENGTH_BYTES = 5
"""Width of the length of a message that holds columns, and the most of any tag and length."""


class Found(NamedTuple):
    """A field in a message: where its value lies, or what a varint says."""

    number: int
    wire_type: int
    start: int
    end: int
    value: int
    at: int
    """Where its tag begins."""


def view_of(buffer: Buffer, writable: bool = False) -> memoryview:
    """Return the buffer as bytes. Raises WireError."""
    try:
        # Before 3.12 no type says that an array is a buffer.
        view = memoryview(cast(Any, buffer))
    except TypeError:
        raise WireError(f"{type(buffer).__name__} is no buffer of bytes") from None
    if not view.c_contiguous:
        raise WireError("the buffer does not lie in one piece; copy it into one")
    if writable and view.readonly:
        raise WireError("the buffer is read-only; give one that can be written")
    return view.cast("B") if view.nbytes else memoryview(b"")


def read_varint(view: memoryview, pos: int, end: int) -> tuple[int, int]:
    """Return an unsigned number and the position behind it."""
    value = 0
    for index in range(10):
        if pos >= end:
            raise WireError("a field reaches beyond the end of its message", end)
        byte = view[pos]
        pos += 1
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value & (1 << 64) - 1, pos
    raise WireError("a varint is longer than ten bytes", pos)


def fields(
    view: memoryview, pos: int, end: int, passed: frozenset[int] = frozenset()
) -> Iterator[Found]:
    """Return the fields of the message in ``view[pos:end]``; a group as one. Raises WireError.

    ``passed``: tags of one byte, of fields with a length, that may be left out.
    """
    while pos < end:
        # A loop of its own: lists of short messages are what a message has most of.
        while pos + 1 < end and view[pos] in passed and (size := view[pos + 1]) < 0x80:
            pos += 2 + size
        if pos >= end:
            if pos > end:
                raise WireError("a field reaches beyond the end of its message", end)
            return
        found = _field(view, pos, end)
        if found.wire_type == _GROUP:
            found = _group(view, found, end)
        elif found.wire_type == _END_GROUP:
            raise WireError("a group ends that did not begin", found.at)
        yield found
        # A group's end tag lies behind its content.
        pos = found.value if found.wire_type == _GROUP else found.end


def _field(view: memoryview, at: int, end: int) -> Found:
    tag, pos = read_varint(view, at, end)
    if tag >> 32 or pos - at > LENGTH_BYTES:
        raise WireError("a tag is too large", at)
    number, wire_type = tag >> 3, tag & 7
    if not number:
        raise WireError("there is no field number 0", at)
    value, start = 0, pos
    if wire_type == VARINT:
        value, pos = read_varint(view, pos, end)
    elif wire_type == LENGTH:
        value, start = read_varint(view, pos, end)
        if start - pos > LENGTH_BYTES:
            raise WireError("a length is too large", at)
        pos = start + value
    elif wire_type == FIXED64:
        pos += 8
    elif wire_type == FIXED32:
        pos += 4
    elif wire_type not in (_GROUP, _END_GROUP):
        raise WireError(f"there is no wire type {wire_type}", at)
    if pos > end:
        raise WireError("a field reaches beyond the end of its message", at)
    return Found(number, wire_type, start, pos, value, at)


def _group(view: memoryview, first: Found, end: int) -> Found:
    """Return a group whole: its content, and as ``value`` where the message goes on."""
    opened = [first.number]
    pos = first.end
    while True:
        if pos >= end:
            raise WireError("a group does not end", first.at)
        inner = _field(view, pos, end)
        pos = inner.end
        if inner.wire_type == _GROUP:
            if len(opened) == DEPTH:
                raise WireError(f"groups are nested deeper than {DEPTH}", inner.at)
            opened.append(inner.number)
        elif inner.wire_type == _END_GROUP:
            if opened.pop() != inner.number:
                raise WireError("a group ends that did not begin", inner.at)
            if not opened:
                return first._replace(end=inner.at, value=pos)


def varint(value: int) -> bytes:
    """Return base 128, least significant group first, as short as possible."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def length_in_five(size: int) -> bytes:
    """Return the length of a message that holds columns. Raises WireError above 2³¹ − 1 bytes."""
    if size >= 1 << 31:
        raise WireError(f"{size} bytes are too many for a message; write fewer elements")
    groups = [size >> 7 * index & 0x7F for index in range(LENGTH_BYTES)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


def tag_and_length(number: int, size: int) -> bytes:
    """Return what stands before the content of a message that holds columns."""
    return tag(number, LENGTH) + length_in_five(size)


def array_of(view: memoryview, dtype: np.dtype[Any], start: int, count: int) -> npt.NDArray[Any]:
    """Numbers where they lie, read-only."""
    if not count:
        return np.empty(0, dtype)
    found = np.frombuffer(view, dtype, count, start)
    found.flags.writeable = False
    return found
