# SPDX-License-Identifier: Apache-2.0
"""Messages on the wires without presence as no writer should make them, by schema and seed."""

from __future__ import annotations

import random
import struct

from attack.decoders import hostile_values as values
from attack.decoders.sequential_rules import CODES, EMPTY_ELEMENTS, units
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message, MessageRef, Schema

HEADERS = (b"\0\1\0\0", b"\0\1\x12\x34", b"\0\2\0\0", b"\0\3\0\0", b"\1\1\0\0", b"\0\1", b"")
LEVELS = (98, 99, 100, 101, 102)


class Hostile:
    """Makes one message; ``tame``: how much rarer than usual its faults are."""

    def __init__(self, schema: Schema, wire: str, chance: random.Random) -> None:
        self._schema, self._chance, self._cdr = schema, chance, wire == "cdr"
        self._tame = chance.choice((0.0, 0.1, 0.3, 1.0, 3.0))
        self._order = ">" if self._cdr and chance.random() < 0.3 else "<"
        self._left = chance.choice((0, 3, 10, 30))
        """Elements of lists that may still be made."""
        self._levels = chance.choice(LEVELS) if chance.random() < 0.03 else 0
        self._out = bytearray()

    def message(self, name: str) -> bytes:
        head = b""
        if self._cdr:
            head = b"\0\0\0\0" if self._order == ">" else b"\0\1\0\0"
            if self._rarely(0.02):
                head = self._chance.choice(HEADERS)
        self._message(self._schema.message(name), 0)
        encoded = head + bytes(self._out)
        if self._rarely(0.05):
            encoded += self._chance.choice(
                (b"\0", b"\0\0", b"\0\0\0", b"\0\0\0\0", b"abc", b"abcde")
            )
        if self._rarely(0.03):
            encoded = encoded[: self._chance.randrange(len(encoded) + 1)]
        return encoded

    def _rarely(self, probability: float) -> bool:
        return self._chance.random() < probability * self._tame

    def _message(self, message: Message, depth: int) -> None:
        for unit in units(message):
            if isinstance(unit, tuple):
                self._choice(unit, depth)
            elif unit.label is Label.SINGLE:
                self._value(unit, depth)
            elif unit.label is Label.ARRAY:
                for _ in range(unit.capacity or 0):
                    self._value(unit, depth)
            else:
                self._list(unit, depth)

    def _choice(self, members: tuple[Field, ...], depth: int) -> None:
        chosen = self._chance.choice((None, *members))
        again = [f for f in members if self._nests(f)]
        if depth < self._levels and again:
            chosen = self._chance.choice(again)
        elif chosen in again and depth > 3:
            chosen = None
        number = chosen.number if chosen else 0
        if self._rarely(0.01):
            number = self._chance.choice((1, 999, values.number(self._chance)))
        self._number("I", number)
        if chosen:
            self._value(chosen, depth)

    def _nests(self, item: Field) -> bool:
        inner = values.held_message(item)
        return inner is not None and bool(values.message_fields(self._schema, inner))

    def _list(self, item: Field, depth: int) -> None:
        count = max(0, min(self._chance.randint(0, 3), self._left))
        self._left -= count
        if depth < self._levels and self._nests(item):
            count = 1
        claimed = count
        if self._takes_nothing(item) and self._chance.random() < 0.3:
            edges = (100, 1000, EMPTY_ELEMENTS // 2, EMPTY_ELEMENTS // 2 + 1, EMPTY_ELEMENTS)
            claimed = self._chance.choice((*edges, EMPTY_ELEMENTS + 1))
        if self._rarely(0.01):
            claimed = self._chance.choice((count + 1, max(0, count - 1), 1 << 16, 1 << 31, -1))
        self._number("I", claimed)
        for _ in range(count):
            if item.key is not None and item.value is not None:
                self._value(item.key, depth)
                self._value(item.value, depth)
            else:
                self._value(item, depth)

    def _takes_nothing(self, item: Field) -> bool:
        inner = values.held_message(item)
        return item.key is None and inner is not None and not self._schema.message(inner).fields

    def _value(self, item: Field, depth: int) -> None:
        if isinstance(item.type, MessageRef):
            self._message(self._schema.message(item.type), depth + 1)
        elif isinstance(item.type, EnumRef):
            self._number("I", values.enum_number(self._schema, item.type, self._chance))
        elif item.type.is_text:
            self._text(item.type)
        elif item.type is Kind.BOOL:
            self._number("B", self._chance.choice((0, 1, 1, 2, 255)))
        else:
            width = item.type.width or 0
            bits = int.from_bytes(values.fixed(width, self._chance), "little")
            self._number(CODES[item.type].upper(), bits)

    def _text(self, kind: Kind) -> None:
        text = values.text(kind, self._chance)
        if self._cdr and kind is Kind.STRING and not (not text and self._chance.random() < 0.3):
            text += b"a" if self._rarely(0.01) else b"\0"
        size = len(text)
        if self._rarely(0.005):
            size = self._chance.choice((size + 1, max(0, size - 1), 1 << 31, -1))
        self._number("I", size)
        self._out += text

    def _number(self, code: str, value: int) -> None:
        width = struct.calcsize(f"={code}")
        if self._cdr:
            filler = b"\xee" if self._rarely(0.2) else b"\0"
            self._out += filler * (-len(self._out) % width)
        self._out += struct.pack(f"{self._order}{code}", value & (1 << 8 * width) - 1)
