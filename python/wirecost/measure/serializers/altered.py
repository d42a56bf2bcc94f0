# SPDX-License-Identifier: Apache-2.0
"""Messages with other values of the same sizes."""

from __future__ import annotations

from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

MOST = 64
"""Fields of a message that are changed: long ones are changed at their beginning."""
_WHOLE = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
    }
)


def alter(message: Any, random: Random) -> None:
    """Change numbers, texts and bytes of a message of Google's class.

    They take as many bytes as before on every wire; values of maps and enums stay.
    """
    _alter(message, random, MOST)


def _alter(message: Any, random: Random, remaining: int) -> int:
    """Return how many fields may still be changed."""
    for field, value in message.ListFields():
        if remaining <= 0:
            break
        is_message = field.message_type is not None
        if field.is_repeated and is_message:
            if field.message_type.GetOptions().map_entry:
                continue
            for element in value:
                remaining = _alter(element, random, remaining) if remaining > 0 else 0
        elif field.is_repeated:
            for i in range(min(len(value), remaining)):
                value[i] = _other(field, value[i], random)
            remaining -= len(value)
        elif is_message:
            remaining = _alter(value, random, remaining)
        else:
            setattr(message, field.name, _other(field, value, random))
            remaining -= 1
    return remaining


def _other(field: FieldDescriptor, value: Any, random: Random) -> Any:
    if field.cpp_type in _WHOLE:  # a varint keeps its length
        return value // 64 * 64 + random.randrange(64) if value >= 64 else value
    if field.cpp_type != FieldDescriptor.CPPTYPE_STRING or not value:
        return value
    at = random.randrange(len(value))
    if isinstance(value, bytes):
        return value[:at] + bytes([random.randrange(1, 256)]) + value[at + 1 :]
    if not value[at].isascii():
        return value
    return value[:at] + random.choice("abcdefghijklmnopqrstuvwxyz") + value[at + 1 :]
