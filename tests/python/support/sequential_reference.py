# SPDX-License-Identifier: Apache-2.0
"""Google's Python messages as ``ros1`` and ``cdr``, written from the rules and not from the plans.

Every field in the order of declaration, absent ones as their default; a oneof as the number of
the field that is set and that field; a map as its entries in the order of keys.
"""

from __future__ import annotations

import struct
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message

_CODES = {
    Field.TYPE_DOUBLE: "d",
    Field.TYPE_FLOAT: "f",
    Field.TYPE_INT64: "q",
    Field.TYPE_SINT64: "q",
    Field.TYPE_SFIXED64: "q",
    Field.TYPE_UINT64: "Q",
    Field.TYPE_FIXED64: "Q",
    Field.TYPE_INT32: "i",
    Field.TYPE_SINT32: "i",
    Field.TYPE_SFIXED32: "i",
    Field.TYPE_ENUM: "i",
    Field.TYPE_UINT32: "I",
    Field.TYPE_FIXED32: "I",
    Field.TYPE_BOOL: "?",
}


def encode(message: Message, wire: str, order: str = "<") -> bytes:
    """``order``: ``<`` or, for cdr, ``>``."""
    writer = _Writer(wire == "cdr", order)
    writer.message(message)
    header = b"" if wire == "ros1" else b"\0\1\0\0" if order == "<" else b"\0\0\0\0"
    return header + bytes(writer.out)


class _Writer:
    def __init__(self, cdr: bool, order: str) -> None:
        self.out = bytearray()
        self._cdr = cdr
        self._order = order

    def message(self, message: Message) -> None:
        written = set()
        for field in message.DESCRIPTOR.fields:
            oneof = field.containing_oneof
            if oneof is not None and len(oneof.fields) == 1 and oneof.name == f"_{field.name}":
                oneof = None  # how proto3 says optional
            if oneof is None:
                self._field(message, field)
            elif oneof.name not in written:
                written.add(oneof.name)
                chosen = message.WhichOneof(oneof.name)
                member = message.DESCRIPTOR.fields_by_name[chosen] if chosen else None
                self._number("I", member.number if member else 0)
                if member:
                    self._value(member, getattr(message, member.name))

    def _field(self, message: Message, field: Field) -> None:
        held = getattr(message, field.name)
        if field.message_type and field.message_type.GetOptions().map_entry:
            key, value = (field.message_type.fields_by_name[n] for n in ("key", "value"))
            self._number("I", len(held))
            entries = {self._order_of(k): (k, held[k]) for k in held}
            for k in sorted(entries):
                self._value(key, entries[k][0])
                self._value(value, entries[k][1])
        elif field.is_repeated:
            self._number("I", len(held))
            for item in held:
                self._value(field, item)
        else:
            self._value(field, held)

    @staticmethod
    def _order_of(key: Any) -> Any:
        return key.encode() if isinstance(key, str) else key

    def _value(self, field: Field, value: Any) -> None:
        if field.message_type:
            self.message(value)
        elif field.type == Field.TYPE_BYTES:
            self._number("I", len(value))
            self.out += value
        elif field.type == Field.TYPE_STRING:
            text = value.encode() + (b"\0" if self._cdr else b"")
            self._number("I", len(text))
            self.out += text
        else:
            self._number(_CODES[field.type], value)

    def _number(self, code: str, value: Any) -> None:
        if self._cdr:
            self.out += bytes(-len(self.out) % struct.calcsize(f"={code}"))
        self.out += struct.pack(self._order + code, value)
