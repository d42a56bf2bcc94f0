# SPDX-License-Identifier: Apache-2.0
"""Messages on Protobuf's wire as no writer should make them, by the schema and a seed."""

from __future__ import annotations

import random

from attack.decoders import hostile_values as values
from wirecost.schema.compile.plan.protobuf import Payload, payload, varint
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

VARINT, FIXED64, LENGTH, GROUP, GROUP_END, FIXED32 = range(6)
DEEP = (97, 98, 99, 100, 101, 102, 103)
"""Around the limit."""


class Hostile:
    """Makes one message; ``tame``: how much rarer than usual its faults are."""

    def __init__(self, schema: Schema, chance: random.Random) -> None:
        self._schema, self._chance = schema, chance
        self._tame = chance.choice((0.2, 1.0, 1.0, 4.0))
        self._left = chance.choice((4, 12, 40))
        """Fields that may still be made."""

    def message(self, name: str, depth: int = 0) -> bytes:
        message = self._schema.message(name)
        parts = [self._field(item, depth) for item in self._chosen(message, depth)]
        for _ in range(self._some(0.15)):
            parts.append(self._unknown())
        if self._often(0.4):
            self._chance.shuffle(parts)
        if depth < 2 and self._rarely(0.03):
            parts.insert(self._chance.randint(0, len(parts)), self._deep(name))
        return b"".join(parts)

    def _rarely(self, probability: float) -> bool:
        return self._chance.random() < probability * self._tame

    def _often(self, probability: float) -> bool:
        return self._chance.random() < probability

    def _some(self, probability: float) -> int:
        return self._chance.randint(1, 3) if self._rarely(probability) else 0

    def _chosen(self, message: Message, depth: int) -> list[Field]:
        """Fields to write, some more than once: required ones nearly always."""
        chosen = [
            item
            for item in message.fields
            if item.presence is Presence.REQUIRED and not self._rarely(0.02)
        ]
        few = max(0, min(self._left, self._chance.randint(0, 8 if depth == 0 else 3)))
        self._left -= few
        if message.fields:
            chosen += self._chance.choices(message.fields, k=few)
        if depth > 6:
            chosen = [f for f in chosen if not values.held_message(f) or f in chosen[:1]]
        return chosen

    def _field(self, item: Field, depth: int) -> bytes:
        if item.label is Label.MAP:
            return b"".join(self._entry(item, depth) for _ in range(self._chance.randint(1, 3)))
        if item.label in (Label.REPEATED, Label.ARRAY):
            count = item.capacity if item.label is Label.ARRAY and not self._rarely(0.1) else None
            return self._repeated(
                item, self._chance.randint(0, 4) if count is None else count, depth
            )
        parts = [self._single(item, depth)]
        again = 0.3 if values.held_message(item) else 0.1
        while self._often(again) and len(parts) < 3:
            parts.append(self._single(item, depth))
        return b"".join(parts)

    def _repeated(self, item: Field, count: int, depth: int) -> bytes:
        how = payload(item)
        if how not in (Payload.VARINT, Payload.ZIGZAG, Payload.FIXED):
            return b"".join(self._single(item, depth) for _ in range(count))
        parts, packed = [], b""
        for _ in range(count):
            value = self._scalar(item)
            if self._often(0.25):
                parts.append(self.tag(item.number, self._wire_type(item)) + value)
            else:
                packed += value
            if packed and self._often(0.2):
                parts.append(self._behind_length(item.number, packed))
                packed = b""
        if packed or self._often(0.1):
            parts.append(self._behind_length(item.number, packed))
        return b"".join(parts)

    def _single(self, item: Field, depth: int) -> bytes:
        if self._rarely(0.01):
            return self._unknown(item.number)
        how = payload(item)
        if isinstance(item.type, MessageRef):
            content = self.message(item.type.name, depth + 1)
            if how is Payload.GROUP:
                return self._group(item.number, content)
            return self._behind_length(item.number, content)
        if how is Payload.TEXT:
            assert isinstance(item.type, Kind)
            return self._behind_length(item.number, values.text(item.type, self._chance))
        return self.tag(item.number, self._wire_type(item)) + self._scalar(item)

    def _entry(self, item: Field, depth: int) -> bytes:
        assert item.key is not None and item.value is not None
        parts = [
            self._single(part, depth + 1)
            for part in (item.key, item.value)
            for _ in range(self._chance.choice((1, 1, 1, 1, 0, 2)))
        ]
        if self._rarely(0.05):
            parts.append(self._unknown())
        if self._often(0.15):
            self._chance.shuffle(parts)
        return self._behind_length(item.number, b"".join(parts))

    def _scalar(self, item: Field) -> bytes:
        if payload(item) is Payload.FIXED:
            assert isinstance(item.type, Kind) and item.type.width is not None
            return values.fixed(item.type.width, self._chance)
        if isinstance(item.type, EnumRef):
            return self.varint(values.enum_number(self._schema, item.type, self._chance))
        return self.varint(values.number(self._chance))

    @staticmethod
    def _wire_type(item: Field) -> int:
        if payload(item) is Payload.FIXED:
            assert isinstance(item.type, Kind)
            return FIXED64 if item.type.width == 8 else FIXED32
        return VARINT

    def varint(self, value: int) -> bytes:
        """Now and then longer than it need be, with bits that no number has, or without end."""
        value &= (1 << 64) - 1
        encoded = varint(value)
        if self._rarely(0.1):
            encoded = _padded(encoded, self._chance.randint(1, 10))
        if self._rarely(0.04):  # bits beyond the 64th
            encoded = _padded(encoded, 10)
            encoded = encoded[:-1] + bytes((encoded[-1] | self._chance.choice((2, 0x40, 0x7E)),))
        if self._rarely(0.003):
            encoded = _padded(encoded, self._chance.choice((11, 12)))
        return encoded

    def tag(self, number: int, wire_type: int) -> bytes:
        encoded = varint(number << 3 | wire_type)
        if self._rarely(0.01):
            encoded = _padded(encoded, self._chance.randint(1, 5))
        if self._rarely(0.002):
            encoded = _padded(encoded, self._chance.choice((6, 10)))
        if self._rarely(0.002):  # more than 32 bits
            encoded = _padded(encoded, 5)
            encoded = encoded[:-1] + bytes((encoded[-1] | self._chance.choice((0x10, 0x40)),))
        return encoded

    def _length(self, size: int) -> bytes:
        if self._rarely(0.003):
            size = max(0, size + self._chance.choice((-1, 1, 1 << 31, (1 << 32) - 1, 1 << 63)))
        encoded = varint(size)
        if self._rarely(0.02):
            encoded = _padded(encoded, self._chance.randint(1, 5))
        if self._rarely(0.002):
            encoded = _padded(encoded, self._chance.choice((6, 10)))
        return encoded

    def _behind_length(self, number: int, content: bytes) -> bytes:
        return self.tag(number, LENGTH) + self._length(len(content)) + content

    def _group(self, number: int, content: bytes) -> bytes:
        end = number + 1 if self._rarely(0.005) else number
        return self.tag(number, GROUP) + content + self.tag(end, GROUP_END)

    def _unknown(self, number: int = 0) -> bytes:
        """Return a field that no schema knows, or one that has another wire type there."""
        number = number or self._chance.choice((1000, 1001, 70_000, 536_870_910))
        wire_type = self._chance.choice((VARINT, FIXED64, LENGTH, GROUP, FIXED32))
        if self._rarely(0.02):
            number, wire_type = self._chance.choice(((0, 0), (number, 6), (number, 7), (number, 4)))
        content = {
            VARINT: lambda: self.varint(values.number(self._chance)),
            FIXED64: lambda: self._chance.randbytes(8),
            FIXED32: lambda: self._chance.randbytes(4),
            LENGTH: lambda: self._length(3) + b"abc",
        }
        if wire_type != GROUP:
            return self.tag(number, wire_type) + content.get(wire_type, bytes)()
        inner = b"".join(self._unknown() for _ in range(self._some(0.3)))
        encoded = self._group(number, inner)
        if self._rarely(0.05):
            levels = self._chance.choice(DEEP)
            encoded = (
                varint(number << 3 | GROUP) * levels + varint(number << 3 | GROUP_END) * levels
            )
        return encoded

    def _deep(self, name: str) -> bytes:
        """Return a field that nests messages, and at the end unknown groups."""
        path: list[Field] = []
        levels = self._chance.choice((*DEEP, 20))
        at = name
        while len(path) < levels:
            nested = [f for f in values.message_fields(self._schema, at) if self._goes_on(f)]
            if not nested:
                break
            path.append(self._chance.choice(nested))
            at = values.held_message(path[-1]) or ""
        encoded = b""
        if self._often(0.3):
            groups = self._chance.choice((1, 2, 3, max(0, 100 - len(path)), 100, 101))
            encoded = varint(1000 << 3 | GROUP) * groups + varint(1000 << 3 | GROUP_END) * groups
        for item in reversed(path):
            encoded = self._around(item, self._required(values.held_message(item) or "") + encoded)
        return encoded

    def _goes_on(self, item: Field) -> bool:
        inner = values.held_message(item)
        return inner is not None and bool(values.message_fields(self._schema, inner))

    def _around(self, item: Field, content: bytes) -> bytes:
        if item.group:
            return varint(item.number << 3 | GROUP) + content + varint(item.number << 3 | GROUP_END)
        encoded = varint(len(content)) + content
        if item.value is not None:
            encoded = varint(item.value.number << 3 | LENGTH) + encoded
            encoded = varint(len(encoded)) + encoded
        return varint(item.number << 3 | LENGTH) + encoded

    def _required(self, name: str) -> bytes:
        """Return a message's required fields, with as little in them as can be."""
        parts = []
        for item in self._schema.message(name).fields:
            if item.presence is not Presence.REQUIRED:
                continue
            if isinstance(item.type, MessageRef):
                parts.append(self._around(item, self._required(item.type.name)))
            elif isinstance(item.type, EnumRef):
                number = self._schema.enum(item.type).values[0].number
                parts.append(varint(item.number << 3) + varint(number & (1 << 64) - 1))
            elif payload(item) is Payload.TEXT:
                parts.append(varint(item.number << 3 | LENGTH) + b"\0")
            else:
                width = item.type.width if payload(item) is Payload.FIXED else None
                parts.append(varint(item.number << 3 | self._wire_type(item)) + bytes(width or 1))
        return b"".join(parts)


def _padded(made: bytes, size: int) -> bytes:
    """Return the same number in ``size`` bytes."""
    if len(made) >= size:
        return made
    return made[:-1] + bytes((made[-1] | 0x80,)) + b"\x80" * (size - len(made) - 1) + b"\0"
