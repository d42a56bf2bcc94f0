# SPDX-License-Identifier: Apache-2.0
"""Protobuf's part of the support module: appended to ``_wirecost.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._wirecost import DEPTH, WireError, depth_error

# ---


_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1


def varint(value: int) -> bytes:
    """Return base 128, least significant group first; ``value`` is not negative."""
    if value < 0x80:
        return bytes((value,))
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class _Varints(dict[int, bytes]):
    """Varints by value: small ones are stored, others made when asked for."""

    def __init__(self, kind: str, low: int, high: int, zigzag: bool = False) -> None:
        self._kind, self._low, self._high, self._zigzag = kind, low, high, zigzag
        stored = range(-64 if zigzag else 0, min(high + 1, 1024))
        super().__init__((value, self.__missing__(value)) for value in stored)

    def __missing__(self, value: int) -> bytes:
        if not isinstance(value, int):
            raise TypeError(f"{value!r} is not an integer")
        if not self._low <= value <= self._high:
            raise ValueError(f"{value} is out of range for {self._kind}")
        if self._zigzag:
            return varint(value << 1 if value >= 0 else ~(value << 1))
        return varint(value & _MASK64)


INT8 = _Varints("int8", -(1 << 7), (1 << 7) - 1)
UINT8 = _Varints("uint8", 0, (1 << 8) - 1)
INT16 = _Varints("int16", -(1 << 15), (1 << 15) - 1)
UINT16 = _Varints("uint16", 0, (1 << 16) - 1)
INT32 = _Varints("int32", -(1 << 31), (1 << 31) - 1)
UINT32 = _Varints("uint32", 0, (1 << 32) - 1)
INT64 = _Varints("int64", -(1 << 63), (1 << 63) - 1)
UINT64 = _Varints("uint64", 0, (1 << 64) - 1)
SINT32 = _Varints("sint32", -(1 << 31), (1 << 31) - 1, zigzag=True)
SINT64 = _Varints("sint64", -(1 << 63), (1 << 63) - 1, zigzag=True)
LEN = _Varints("a length", 0, (1 << 31) - 1)


def read_uint64(data: bytes, pos: int) -> tuple[int, int]:
    """Return a varint and the position behind it."""
    byte = data[pos]
    if byte < 0x80:
        return byte, pos + 1
    value, shift, last = byte & 0x7F, 7, pos + 9
    while pos < last:
        pos += 1
        byte = data[pos]
        if byte < 0x80:
            return (value | byte << shift) & _MASK64, pos + 1
        value |= (byte & 0x7F) << shift
        shift += 7
    raise WireError("a varint is longer than ten bytes", pos)


def read_int64(data: bytes, pos: int) -> tuple[int, int]:
    value, pos = read_uint64(data, pos)
    return (value - (1 << 64) if value >> 63 else value), pos


def read_uint32(data: bytes, pos: int) -> tuple[int, int]:
    value, pos = read_uint64(data, pos)
    return value & _MASK32, pos


def read_int32(data: bytes, pos: int) -> tuple[int, int]:
    value, pos = read_uint64(data, pos)
    value &= _MASK32
    return (value - (1 << 32) if value >> 31 else value), pos


def read_sint64(data: bytes, pos: int) -> tuple[int, int]:
    value, pos = read_uint64(data, pos)
    return value >> 1 ^ -(value & 1), pos


def read_sint32(data: bytes, pos: int) -> tuple[int, int]:
    value, pos = read_uint32(data, pos)
    return value >> 1 ^ -(value & 1), pos


def read_bool(data: bytes, pos: int) -> tuple[bool, int]:
    value, pos = read_uint64(data, pos)
    return value != 0, pos


_LONGEST_TAG = 5


def read_tag(data: bytes, pos: int) -> tuple[int, int]:
    """Return a tag and the position behind it."""
    start = pos
    value, pos = read_uint64(data, pos)
    if value > _MASK32 or pos - start > _LONGEST_TAG:
        raise WireError("a tag is too large", start)
    return value, pos


def read_length(data: bytes, pos: int) -> tuple[int, int]:
    """Return a length, which what is left may be shorter than, and the position behind it."""
    start = pos
    value, pos = read_uint64(data, pos)
    if pos - start > _LONGEST_TAG:
        raise WireError("a length is too large", start)
    return value, pos


def read_packed(
    read: Callable[[bytes, int], tuple[Any, int]], data: bytes, pos: int, end: int
) -> list[Any]:
    """Return the varints of a packed field."""
    if end > len(data):
        raise WireError("the input is truncated", len(data))
    found: list[Any] = []
    while pos < end:
        byte = data[pos]
        if byte < 0x80 and read is not read_sint32 and read is not read_sint64:
            pos += 1
            found.append(byte if read is not read_bool else byte != 0)
        else:
            value, pos = read(data, pos)
            found.append(value)
    if pos != end:
        raise WireError("a packed field ends within a value", end)
    return found


def skip(data: bytes, pos: int, tag: int) -> int:  # noqa: PLR0912 - a branch a wire type
    """Return the position behind a field that the schema does not know."""
    open_groups: list[int] = []
    while True:
        wire_type = tag & 7
        if tag < 8:
            raise WireError("there is no field number 0", pos)
        if wire_type == 0:
            _, pos = read_uint64(data, pos)
        elif wire_type == 1:
            pos += 8
        elif wire_type == 2:
            length, pos = read_length(data, pos)
            pos += length
        elif wire_type == 3:
            if len(open_groups) == DEPTH:
                raise depth_error(pos)
            open_groups.append(tag + 1)
        elif wire_type == 4:
            if not open_groups or open_groups.pop() != tag:
                raise WireError("a group ends that did not begin", pos)
        elif wire_type == 5:
            pos += 4
        else:
            raise WireError(f"there is no wire type {wire_type}", pos)
        if pos > len(data):
            raise WireError("the input is truncated", len(data))
        if not open_groups:
            return pos
        tag, pos = read_tag(data, pos)
