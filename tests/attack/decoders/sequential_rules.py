# SPDX-License-Identifier: Apache-2.0
"""``ros1`` and ``cdr`` read and written by the rules of docs/compile.md, and not by the plans.

Every field in the order of declaration, of a oneof the number of the field that is set and that
field, of a map its entries; what must be refused is refused here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message, MessageRef, Schema

CODES = {kind: kind.code for kind in Kind if not kind.is_text}
CODES |= {Kind.FLOAT32: "I", Kind.FLOAT64: "Q"}  # their bits: a NaN has many
EMPTY_ELEMENTS = 65_536
DEPTH = 100


class Refused(Exception):  # noqa: N818 - what a decoder does
    """The bytes are no such message."""


def decoded(schema: Schema, name: str, wire: str, data: bytes, utf8: bool = True) -> bytes:
    """Return the content of a message, encoded anew.

    ``utf8``: strings must be UTF-8. Raises Refused."""
    reader = _Reader(schema, wire == "cdr", data, utf8)
    value = reader.whole(schema.message(name))
    writer = _Writer(schema, wire == "cdr")
    writer.message(schema.message(name), value)
    return (b"\0\1\0\0" if wire == "cdr" else b"") + bytes(writer.out)


def units(message: Message) -> Iterator[Field | tuple[Field, ...]]:
    """Fields and oneofs in the order of the wire."""
    done: set[str] = set()
    for item in message.fields:
        if item.oneof is None:
            yield item
        elif item.oneof not in done:
            done.add(item.oneof)
            yield tuple(f for f in message.fields if f.oneof == item.oneof)


class _Reader:
    def __init__(self, schema: Schema, cdr: bool, data: bytes, utf8: bool) -> None:
        self._schema, self._cdr, self._data, self._utf8 = schema, cdr, data, utf8
        self._at, self._order = 0, "<"
        self._empty_elements = EMPTY_ELEMENTS

    def whole(self, message: Message) -> Any:
        if self._cdr:
            if len(self._data) < 4 or self._data[0] or self._data[1] > 1:
                raise Refused
            self._order = ">" if self._data[1] == 0 else "<"
            self._data = self._data[4:]
        value = self._message(message, 0)
        if not 0 <= len(self._data) - self._at <= (3 if self._cdr else 0):
            raise Refused
        return value

    def _message(self, message: Message, depth: int) -> Any:
        if depth > DEPTH:
            raise Refused
        values: dict[str, Any] = {}
        for unit in units(message):
            if isinstance(unit, tuple):
                number = self._number("I")
                chosen = [f for f in unit if f.number == number]
                if number and not chosen:
                    raise Refused
                values[unit[0].oneof or ""] = [(f, self._value(f, depth)) for f in chosen]
            else:
                values[unit.name] = self._field(unit, depth)
        return values

    def _field(self, item: Field, depth: int) -> Any:
        if item.label is Label.SINGLE:
            return self._value(item, depth)
        if item.label is Label.ARRAY:
            return [self._value(item, depth) for _ in range(item.capacity or 0)]
        count = self._number("I")
        if item.capacity is not None and count > item.capacity:
            raise Refused
        if item.label is Label.MAP:
            assert item.key is not None and item.value is not None
            entries = {}
            for _ in range(count):
                key = self._value(item.key, depth)
                entries[key] = self._value(item.value, depth)
            return entries
        if isinstance(item.type, MessageRef) and self._takes_nothing(item.type):
            self._empty_elements -= count
            if self._empty_elements < 0:
                raise Refused
        elif count > len(self._data):
            raise Refused
        return [self._value(item, depth) for _ in range(count)]

    def _takes_nothing(self, reference: MessageRef) -> bool:
        """Return whether the message takes no bytes."""
        return all(
            item.label in (Label.SINGLE, Label.ARRAY)
            and item.oneof is None
            and isinstance(item.type, MessageRef)
            and self._takes_nothing(item.type)
            for item in self._schema.message(reference).fields
        )

    def _value(self, item: Field, depth: int) -> Any:
        if isinstance(item.type, MessageRef):
            return self._message(self._schema.message(item.type), depth + 1)
        kind = Kind.INT32 if isinstance(item.type, EnumRef) else item.type
        if kind is Kind.BOOL:
            return self._number("B") != 0
        if not kind.is_text:
            return self._number(CODES[kind])
        raw = self._take(self._number("I"))
        if kind is Kind.STRING and self._cdr and raw:
            if raw[-1]:
                raise Refused
            raw = raw[:-1]
        if item.text_capacity is not None and len(raw) > item.text_capacity:
            raise Refused
        if kind is Kind.STRING and self._utf8:
            try:
                raw.decode()
            except UnicodeDecodeError:
                raise Refused from None
        return raw

    def _number(self, code: str) -> Any:
        if self._cdr:
            self._at += -self._at % struct.calcsize(f"={code}")
        (value,) = struct.unpack(self._order + code, self._take(struct.calcsize(f"={code}")))
        return value

    def _take(self, size: int) -> bytes:
        self._at += size
        if self._at > len(self._data):
            raise Refused
        return self._data[self._at - size : self._at]


class _Writer:
    def __init__(self, schema: Schema, cdr: bool) -> None:
        self.out = bytearray()
        self._schema, self._cdr = schema, cdr

    def message(self, message: Message, value: Any) -> None:
        for unit in units(message):
            if isinstance(unit, tuple):
                chosen = value[unit[0].oneof]
                self._number("I", chosen[0][0].number if chosen else 0)
                for item, held in chosen:
                    self._value(item, held)
            else:
                self._field(unit, value[unit.name])

    def _field(self, item: Field, held: Any) -> None:
        if item.label is Label.SINGLE:
            self._value(item, held)
            return
        if item.label is not Label.ARRAY:
            self._number("I", len(held))
        if item.label is Label.MAP:
            assert item.key is not None and item.value is not None
            for key in sorted(held):
                self._value(item.key, key)
                self._value(item.value, held[key])
            return
        for element in held:
            self._value(item, element)

    def _value(self, item: Field, value: Any) -> None:
        if isinstance(item.type, MessageRef):
            self.message(self._schema.message(item.type), value)
            return
        kind = Kind.INT32 if isinstance(item.type, EnumRef) else item.type
        if kind.is_text:
            text = value + b"\0" * (self._cdr and kind is Kind.STRING)
            self._number("I", len(text))
            self.out += text
        else:
            self._number(CODES[kind], value)

    def _number(self, code: str, value: Any) -> None:
        if self._cdr:
            self.out += bytes(-len(self.out) % struct.calcsize(f"={code}"))
        self.out += struct.pack(f"<{code}", value)
