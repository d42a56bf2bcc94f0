# SPDX-License-Identifier: Apache-2.0
"""``protobuf``: Protobuf's wire format. Fields in the order of their numbers, tags as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wirecost.schema.compile.per_schema import per_schema
from wirecost.schema.compile.schema import (
    Coding,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

VARINT, I64, LEN, SGROUP, EGROUP, I32 = range(6)
"""Wire types."""


class Payload(StrEnum):
    """Form of one value behind its tag."""

    VARINT = "varint"
    """Two's complement, sign-extended to 64 bits; bool and enum as well."""
    ZIGZAG = "zigzag"
    FIXED = "fixed"
    TEXT = "text"
    MESSAGE = "message"
    GROUP = "group"


@dataclass(frozen=True)
class Item:
    """One field: the tag it is written with, and the other one it may be read with."""

    field: Field
    payload: Payload
    tag: int
    other_tag: int | None = None
    """Tag of the unpacked form of a packed field, or the reverse: both must be read."""
    end_tag: int | None = None
    required_bit: int | None = None
    """Bit of "seen" that a decoder sets for a required field."""

    @property
    def tag_bytes(self) -> bytes:
        return varint(self.tag)

    @property
    def end_tag_bytes(self) -> bytes:
        return varint(self.end_tag or 0)


@dataclass(frozen=True)
class ProtobufPlan:
    """Items by number."""

    message: Message
    items: tuple[Item, ...]
    required: int
    """Number of required fields."""

    @property
    def runs(self) -> tuple[tuple[Item, ...], ...]:
        """Neighbouring single fixed-width items, two or more.

        When all are there, as a rule, their bytes lie at known distances and one check serves them
        all.
        """
        runs: list[list[Item]] = [[]]
        for item in self.items:
            if item.payload is Payload.FIXED and item.field.label is Label.SINGLE:
                runs[-1].append(item)
            else:
                runs.append([])
        return tuple(tuple(run) for run in runs if len(run) > 1)


def plan(message: Message) -> ProtobufPlan:
    items: list[Item] = []
    required = 0
    for item in sorted(message.fields, key=lambda f: f.number):
        bit = None
        if item.presence is Presence.REQUIRED:
            bit, required = required, required + 1
        items.append(_item(item, bit))
    return ProtobufPlan(message, tuple(items), required)


@per_schema
def requiring(schema: Schema) -> frozenset[str]:
    """Return messages that have required fields themselves."""
    return frozenset(
        m.full_name
        for m in schema.messages()
        if any(f.presence is Presence.REQUIRED for f in m.fields)
    )


def requires(schema: Schema, item: Field) -> bool:
    """Return whether the field's value is such a message."""
    return isinstance(item.type, MessageRef) and item.type.name in requiring(schema)


def entry_items(item: Field) -> tuple[Item, Item]:
    """Return key and value of a map's entries."""
    if item.key is None or item.value is None:
        raise AssertionError(item)
    return _item(item.key, None), _item(item.value, None)


def payload(item: Field) -> Payload:
    """Return how one value of the field is written."""
    if isinstance(item.type, MessageRef):
        return Payload.GROUP if item.group else Payload.MESSAGE
    if isinstance(item.type, Kind) and item.type.is_text:
        return Payload.TEXT
    if item.coding is Coding.ZIGZAG:
        return Payload.ZIGZAG
    if item.coding is Coding.FIXED or item.type in (Kind.FLOAT32, Kind.FLOAT64):
        return Payload.FIXED
    return Payload.VARINT


def varint(value: int) -> bytes:
    """Return a number in base 128, least significant group first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _item(item: Field, bit: int | None) -> Item:
    how = payload(item)
    single = _wire_type(item, how)
    number = item.number << 3
    if item.label is Label.MAP:
        return Item(item, how, number | LEN)
    if item.label in (Label.REPEATED, Label.ARRAY) and single not in (LEN, SGROUP):
        tags = (number | LEN, number | single)
        tag, other = tags if item.packed else tags[::-1]
        return Item(item, how, tag, other)
    end = number | EGROUP if how is Payload.GROUP else None
    return Item(item, how, number | single, end_tag=end, required_bit=bit)


def _wire_type(item: Field, how: Payload) -> int:
    if how is Payload.FIXED:
        width = item.type.width if isinstance(item.type, Kind) else None
        return I64 if width == 8 else I32
    if how in (Payload.VARINT, Payload.ZIGZAG):
        return VARINT
    return SGROUP if how is Payload.GROUP else LEN
