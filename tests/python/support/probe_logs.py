# SPDX-License-Identifier: Apache-2.0
"""Probe logs made byte by byte, from the format's text alone."""

from __future__ import annotations

import struct
from collections.abc import Sequence

HEADER, RECORD = 20480, 128


def header(
    counters: Sequence[tuple[str, int]] = (), names: Sequence[tuple[int, str]] = (), **fields: int
) -> bytes:
    content = bytearray(HEADER)
    values = {"version": 1, "header": HEADER, "record": RECORD, "counters": len(counters)}
    values |= {"process": 7, "thread": 8, "capacity": 1000, "dropped": 0, "unclosed": 0}
    values |= {"unmatched": 0, "offset": 0, "access": 2, "names": len(names)} | fields
    struct.pack_into(
        "<8sIIIIIIQQQQqII16s16s", content, 0, b"WCPROBE\n", *values.values(), b"p", b"t"
    )
    for i, (name, status) in enumerate(counters):
        struct.pack_into("<56sIi", content, 512 + 64 * i, name.encode(), status, 0)
    for i, (identifier, name) in enumerate(names):
        struct.pack_into("<II56s", content, 4096 + 64 * i, identifier, 1, name.encode())
    return bytes(content)


def record(
    sequence: int,
    begin: int = 0,
    end: int = 0,
    *,
    section: int = 1,
    parent: int = 0xFFFFFFFF,
    part: int = 0,
    kind: int = 1,
    depth: int = 0,
    counted: int = 0,
    scaled: int = 0,
    loop: int = 0,
    value: int = 0,
    detail: int = 0,
    counters: Sequence[int] = (),
) -> bytes:
    counts = [*counters, *[0] * (8 - len(counters))]
    fixed = (sequence, section, parent, part, kind, depth, counted, scaled, detail, loop, value)
    return struct.pack("<QIIHBBBBHQqqqQ8Q", *fixed, begin, end, 0, *counts)
