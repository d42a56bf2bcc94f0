# SPDX-License-Identifier: Apache-2.0
"""Google's Python library as a decoder: the content of what it reads, in a canonical order."""

from __future__ import annotations

import struct
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message

from support.columns_reference import varint

_FIXED = {
    Field.TYPE_DOUBLE: "<d",
    Field.TYPE_FLOAT: "<f",
    Field.TYPE_FIXED64: "<Q",
    Field.TYPE_SFIXED64: "<q",
    Field.TYPE_FIXED32: "<I",
    Field.TYPE_SFIXED32: "<i",
}
_VARINT, _FIXED64, _LENGTH, _GROUP, _END, _FIXED32 = range(6)


def canonical(message: Message) -> bytes:
    """Fields by number, maps by key, nothing unknown: as the project's codecs write it."""
    parts = []
    for field, held in sorted(message.ListFields(), key=lambda pair: pair[0].number):
        if field.is_extension:
            continue
        if field.message_type and field.message_type.GetOptions().map_entry:
            parts += [_entry(field, key, held[key]) for key in sorted(held, key=_order)]
        elif field.is_repeated and field.is_packed:
            content = b"".join(_value(field, value) for value in held)
            parts.append(_tag(field, _LENGTH) + varint(len(content)) + content)
        else:
            values = held if field.is_repeated else [held]
            parts += [_tagged(field, value) for value in values]
    return b"".join(parts)


def _entry(field: Field, key: Any, value: Any) -> bytes:
    entry: Any = field.message_type
    of_key, of_value = (entry.fields_by_name[name] for name in ("key", "value"))
    content = _tagged(of_key, key) + _tagged(of_value, value)
    return _tag(field, _LENGTH) + varint(len(content)) + content


def _order(key: Any) -> Any:
    return key.encode() if isinstance(key, str) else key


def _tagged(field: Field, value: Any) -> bytes:
    if field.type == Field.TYPE_GROUP:
        return _tag(field, _GROUP) + canonical(value) + _tag(field, _END)
    return _tag(field, _wire_type(field)) + _value(field, value)


def _wire_type(field: Field) -> int:
    if field.type in _FIXED:
        return _FIXED64 if struct.calcsize(_FIXED[field.type]) == 8 else _FIXED32
    texts = (Field.TYPE_STRING, Field.TYPE_BYTES, Field.TYPE_MESSAGE)
    return _LENGTH if field.type in texts else _VARINT


def _value(field: Field, value: Any) -> bytes:
    if field.type in _FIXED:
        return struct.pack(_FIXED[field.type], value)
    if field.type == Field.TYPE_MESSAGE:
        value = canonical(value)
    elif field.type == Field.TYPE_STRING:
        value = value.encode() if isinstance(value, str) else value  # proto2 shows bytes
    elif field.type != Field.TYPE_BYTES:
        if field.type in (Field.TYPE_SINT32, Field.TYPE_SINT64):
            return varint(value << 1 if value >= 0 else ~(value << 1))
        return varint(int(value) & (1 << 64) - 1)
    return varint(len(value)) + bytes(value)


def _tag(field: Field, wire_type: int) -> bytes:
    return varint(field.number << 3 | wire_type)
