# SPDX-License-Identifier: Apache-2.0
"""Random content for any message of Google's Python Protobuf, edge values among it."""

from __future__ import annotations

import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message

LONGEST = 3
WORDS = ("", "a", "wire cost", "µß", "\u20ac", "\U0001f916", "\uffff", "x" * 40, "tab\tand\0nul")
REALS = (0.0, -0.0, 1.5, -1e30, float("inf"), 1e-45)

_SIGNED = {
    Field.TYPE_INT32: 32,
    Field.TYPE_SINT32: 32,
    Field.TYPE_SFIXED32: 32,
    Field.TYPE_INT64: 64,
    Field.TYPE_SINT64: 64,
    Field.TYPE_SFIXED64: 64,
}
_UNSIGNED = {
    Field.TYPE_UINT32: 32,
    Field.TYPE_FIXED32: 32,
    Field.TYPE_UINT64: 64,
    Field.TYPE_FIXED64: 64,
}


def fill(message: Message, chance: random.Random, depth: int = 4) -> Message:
    """Set each field or not, a required one always."""
    for field in message.DESCRIPTOR.fields:
        if field.is_required or (chance.random() < 0.6 and (depth > 0 or not field.message_type)):
            _set(message, field, chance, depth)
    return message


def _set(message: Message, field: Field, chance: random.Random, depth: int) -> None:
    held = getattr(message, field.name)
    if _is_map(field):
        key, value = (field.message_type.fields_by_name[n] for n in ("key", "value"))
        # One entry at most: Python's order of keys is not that of Google's C++ and Java.
        if value.message_type:
            fill(held[_value(key, chance)], chance, depth - 1)
        else:
            held[_value(key, chance)] = _value(value, chance)
    elif field.is_repeated:
        for _ in range(chance.randint(0, LONGEST)):
            if field.message_type:
                fill(held.add(), chance, depth - 1)
            else:
                held.append(_value(field, chance))
    elif field.message_type:
        held.SetInParent()
        fill(held, chance, depth - 1)
    else:
        setattr(message, field.name, _value(field, chance))


def _is_map(field: Field) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def _value(field: Field, chance: random.Random) -> Any:  # noqa: PLR0911 - one a type
    kind = field.type
    if kind in _SIGNED:
        bits = chance.choice((1, 8, 16, _SIGNED[kind]))
        return chance.getrandbits(bits) - (1 << bits - 1)
    if kind in _UNSIGNED:
        return chance.getrandbits(chance.choice((1, 7, 14, 31, _UNSIGNED[kind])))
    if kind == Field.TYPE_BOOL:
        return chance.random() < 0.5
    if kind == Field.TYPE_ENUM:
        return chance.choice(field.enum_type.values).number
    if kind == Field.TYPE_STRING:
        return chance.choice(WORDS)
    if kind == Field.TYPE_BYTES:
        return chance.randbytes(chance.choice((0, 1, 5, 130)))
    return chance.choice(REALS)
