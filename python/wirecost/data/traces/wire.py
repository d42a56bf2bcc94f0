# SPDX-License-Identifier: Apache-2.0
"""The few fields of a frame that are wanted without parsing all of it."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

NANOS = 1_000_000_000


def records(data: memoryview) -> Iterator[tuple[int, memoryview, int | memoryview]]:
    """Yield number, bytes and value of each field, in the order of the bytes; nothing is copied.

    A record is a field with its tag. Varints and fixed numbers are unsigned. Raises ValueError on
    bytes that are no Protobuf message and on groups, which no OSI message has.
    """
    at, end = 0, len(data)
    value: int | memoryview
    while at < end:
        start = at
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise ValueError("field number 0")
        if kind == VARINT:
            value, at = _varint(data, at)
            yield number, data[start:at], value
            continue
        if kind == BYTES:
            size, at = _varint(data, at)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"wire type {kind}")
        if size > end - at:
            raise ValueError("a field reaches beyond the message")
        part = data[at : at + size]
        at += size
        value = part if kind == BYTES else int.from_bytes(part, "little")
        yield number, data[start:at], value


def fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield number and value of each field, as ``records`` does."""
    for number, _, value in records(data):
        yield number, value


def bytes_field(number: int, value: bytes) -> bytes:
    """Return a field of bytes or a message, with its tag and length."""
    return varint(number << 3 | BYTES) + varint(len(value)) + value


def varint(value: int) -> bytes:
    """Return a number that is not negative as Protobuf writes it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def is_message(data: memoryview) -> bool:
    """Return whether the bytes are fields, whatever type has them."""
    try:
        for _ in fields(data):
            pass
    except ValueError:
        return False
    return True


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("a number reaches beyond the message")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2**64 - 1), at
    raise ValueError("a number of more than ten bytes")


def first(data: memoryview, number: int) -> int | memoryview | None:
    """Return the first field of that number; None if there is none or the bytes are no message."""
    try:
        return next((value for field, value in fields(data) if field == number), None)
    except ValueError:
        return None


def timestamp_ns(data: memoryview, number: int) -> int | None:
    """Return an OSI ``Timestamp`` in field ``number``, in nanoseconds; None without one."""
    stamp = first(data, number)
    if not isinstance(stamp, memoryview):
        return None
    seconds = first(stamp, 1) or 0
    nanos = first(stamp, 2) or 0
    if not isinstance(seconds, int) or not isinstance(nanos, int):
        return None
    return (seconds - 2**64 if seconds >= 2**63 else seconds) * NANOS + nanos


def interface_version(data: memoryview, number: int) -> str | None:
    """Return an OSI ``InterfaceVersion`` in field ``number``, as ``3.7.0``."""
    version = first(data, number)
    if not isinstance(version, memoryview):
        return None
    parts = [first(version, part) or 0 for part in (1, 2, 3)]
    return ".".join(map(str, parts)) if all(isinstance(part, int) for part in parts) else None
