# SPDX-License-Identifier: Apache-2.0
"""Values that decoders of any wire may stumble over."""

from __future__ import annotations

import random
import struct

from wirecost.schema.compile.schema import EnumRef, Field, Kind, MessageRef, Schema

EDGES = (0, 1, 2, 63, 64, 127, 128, 16383, 16384, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32)
WIDE_EDGES = (*EDGES, 1 << 33, 1 << 35, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1)
TEXTS = (b"", b"a", b"wire cost", "µß€\U0001f916\uffff".encode(), b"x" * 40, b"tab\tand\0nul")
NO_TEXTS = (
    b"\xff",
    b"\xc3",  # cut off
    b"\xe2\x82",
    b"\xc3\x28",
    b"\xc0\x80",  # longer than need be
    b"\xe0\x80\xaf",
    b"\xf0\x80\x80\xaf",
    b"\xed\xa0\x80",  # half a surrogate pair
    b"\xed\xbf\xbf",
    b"\xf4\x90\x80\x80",  # beyond all characters
    b"\xf8\x88\x80\x80\x80",
    b"ab\x80",
    b"01234567\xff",
)
REALS = (b"\0" * 8, b"\0" * 7 + b"\x80", struct.pack("<d", 1.5), struct.pack("<d", float("inf")))
NANS = (b"\x01\0\0\0\0\0\xf0\x7f", b"\xff" * 8)
NO_TEXT_CHANCE = 0.04


def number(chance: random.Random) -> int:
    """Unsigned, of 64 bits."""
    if chance.random() < 0.6:
        return chance.choice(WIDE_EDGES)
    return chance.getrandbits(64) >> chance.randrange(64)


def text(kind: Kind, chance: random.Random) -> bytes:
    if kind is Kind.STRING:
        return chance.choice(NO_TEXTS if chance.random() < NO_TEXT_CHANCE else TEXTS)
    return chance.choice((*TEXTS, *NO_TEXTS)) if chance.random() < 0.9 else chance.randbytes(130)


def fixed(width: int, chance: random.Random) -> bytes:
    """Little-endian."""
    if width == 8 and chance.random() < 0.5:
        return chance.choice((*REALS, *NANS))
    if width == 4 and chance.random() < 0.3:
        return struct.pack("<f", chance.choice((0.0, -0.0, 1.5, float("-inf"))))
    return (number(chance) & (1 << 8 * width) - 1).to_bytes(width, "little")


def enum_number(schema: Schema, reference: EnumRef, chance: random.Random) -> int:
    """Mostly one that is declared."""
    if chance.random() < 0.75:
        return chance.choice(schema.enum(reference).values).number
    return number(chance)


def message_fields(schema: Schema, name: str) -> list[Field]:
    """Fields that hold messages, maps of them too."""
    return [item for item in schema.message(name).fields if held_message(item) is not None]


def held_message(item: Field) -> str | None:
    """Full name of the message that a field, or a map's value, is."""
    held = item.value if item.value is not None else item
    return held.type.name if isinstance(held.type, MessageRef) else None
