# SPDX-License-Identifier: Apache-2.0
"""Compressed data as their formats define them, for ``make_vectors.py``; no library takes part."""

from __future__ import annotations

import struct


def lz4(data: bytes) -> bytes:
    """Return a block that compresses nothing: up to 14 bytes as they are."""
    return struct.pack("B", len(data) << 4) + data


def zstd(data: bytes, size: int | None = None) -> bytes:
    """Return a frame of one segment with one block that is not compressed.

    ``size``: the size that the frame states."""
    start = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data) if size is None else size)
    return start + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def marker(code: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, code, len(content) + 2) + content


def jpeg(
    height: int = 8,
    width: int = 8,
    bits: int = 8,
    frame: int = 0xC0,
    colours: int = 1,
    factors: int = 0x11,
    scanned: int = 1,
    more: bytes = b"",
) -> bytes:
    """Return a grey image of 8x8: no difference from the middle, a bit for each."""
    of = b"".join(struct.pack("3B", i + 1, factors, 0) for i in range(colours))
    scan = struct.pack("B", scanned) + b"\1\0" * scanned + b"\0\x3f\0"
    table = b"\1" + bytes(16)
    return (
        b"\xff\xd8" + marker(0xDB, b"\0" + b"\1" * 64)
        + more + marker(frame, struct.pack(">BHHB", bits, height, width, colours) + of)
        + marker(0xC4, b"\0" + table) + marker(0xC4, b"\x10" + table)
        + marker(0xDA, scan) + b"\x3f\xff\xd9"
    )  # fmt: skip
