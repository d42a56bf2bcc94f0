# SPDX-License-Identifier: Apache-2.0
"""Bytes made hostile: the edits that find faults in readers of lengths, counts and offsets."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence

EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
WIDE_EDGES = (*EDGES, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF)
TEXT_EDGES = (b"-1", b"0", b"1e999", b"nan", b"9" * 400, b"{" * 2000, b'"' * 3, b"\0", b"\xff\xfe")


def _flip(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    del others
    for _ in range(chance.choice((1, 1, 2, 8))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _number(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    """Replace an integer of some width and order by an edge value or a neighbour."""
    del others
    width, letter = chance.choice(((1, "B"), (2, "H"), (4, "I"), (8, "Q")))
    if len(data) < width:
        return
    code = chance.choice("<>") + letter
    at = chance.randrange(len(data) - width + 1)
    if chance.random() < 0.5:
        value = chance.choice(WIDE_EDGES)
    else:
        value = struct.unpack_from(code, data, at)[0] + chance.choice((-1, 1, 256, -256))
    struct.pack_into(code, data, at, value % (1 << 8 * width))


def _cut(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    del others
    del data[chance.randrange(len(data)) :]


def _remove(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    del others
    at = chance.randrange(len(data))
    del data[at : at + chance.choice((1, 2, 4, 8, 64))]


def _repeat(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    del others
    at = chance.randrange(len(data))
    data[at:at] = data[at : at + chance.choice((1, 4, 16, 256))] * chance.choice((1, 2, 16))


def _insert(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    del others
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.choice(TEXT_EDGES) if chance.random() < 0.3 else chance.randbytes(4)


def _splice(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    other = chance.choice(others)
    data[chance.randrange(len(data)) :] = other[chance.randrange(len(other) + 1) :]


def _blank(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    del others
    at = chance.randrange(len(data))
    size = min(chance.choice((4, 16, 64)), len(data) - at)
    data[at : at + size] = bytes([chance.choice((0, 0xFF, 0x20))]) * size


EDITS: tuple[Callable[[bytearray, random.Random, Sequence[bytes]], None], ...] = (
    _flip,
    _number,
    _number,
    _cut,
    _remove,
    _repeat,
    _insert,
    _splice,
    _blank,
)


def mutated(corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """One of ``corpus`` after one to four edits; now and then as it was."""
    data = bytearray(chance.choice(corpus))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 4))):
        if not data:
            break
        chance.choice(EDITS)(data, chance, corpus)
    return bytes(data)
