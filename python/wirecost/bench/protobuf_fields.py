# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire by its specification, for the independent readers of several scenarios."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """Number, wire type and value of each field, as they follow: a varint as a number, all else as
    bytes. Raises ValueError, and IndexError where a varint is cut off."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            yield number, kind, varint()
            continue
        if kind not in {FIXED64, BYTES, FIXED32}:
            raise ValueError(f"field {number} has wire type {kind}, which no field has")
        size = {FIXED64: 8, FIXED32: 4}.get(kind) or varint()
        if at + size > len(data):
            raise ValueError(f"field {number} reaches beyond the end")
        yield number, kind, data[at : at + size]
        at += size
