# SPDX-License-Identifier: Apache-2.0
"""Java classes of messages: their members, types and first values."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wirecost.schema.compile.emit.escape import java as escape
from wirecost.schema.compile.emit.java.names import (
    LOCALS,
    JavaNames,
    Unique,
    lower_camel,
    screaming,
    upper_camel,
    word,
)
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
    Value,
)

_TYPES = {
    Kind.BOOL: "boolean",
    Kind.INT8: "byte",
    Kind.UINT8: "byte",
    Kind.INT16: "short",
    Kind.UINT16: "short",
    Kind.INT32: "int",
    Kind.UINT32: "int",
    Kind.INT64: "long",
    Kind.UINT64: "long",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
    Kind.BYTES: "byte[]",
}
ACCESSORS = {kind: type_.capitalize() for kind, type_ in _TYPES.items() if kind.width}
"""Ends of the names of the run-time's methods for values of a kind."""
_BOXES = {_TYPES[kind]: name for kind, name in ACCESSORS.items()} | {"int": "Integer"}
UNSIGNED = (Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64)

OBJECT, REFERENCE, MAP = 16, 8, 40
"""Bytes of an object's header, of a field (at most) and of an empty map, about."""


@dataclass(frozen=True)
class Member:
    """A field as its class holds it."""

    field: Field
    name: str
    has: str | None
    """Name of the flag for an optional scalar's presence."""
    constant: str | None
    """Name of the constant that holds the declared default."""
    case: str | None
    """Name of the number of the oneof's field that is set."""
    value_type: str
    """Type of one value."""
    box: str
    """Class of one value."""
    type: str
    zero: str
    """A literal: the default of one value; of a message none."""
    empty: str
    """An expression: the array of no values, which all share."""
    final: bool
    eager: bool
    """A message that is never absent."""

    @property
    def access(self) -> str:
        return f"this.{self.name}" if self.name in LOCALS else self.name

    @property
    def kind(self) -> Kind | None:
        """Kind of one value; enums are integers. None for a message."""
        return kind_of(self.field)

    @property
    def is_primitive(self) -> bool:
        return self.kind is not None and not self.kind.is_text

    @property
    def is_primitive_array(self) -> bool:
        return self.is_primitive and self.field.label in (Label.REPEATED, Label.ARRAY)

    @property
    def is_list(self) -> bool:
        return self.field.label is Label.REPEATED and not self.is_primitive

    @property
    def is_array(self) -> bool:
        return self.field.label is Label.ARRAY

    @property
    def grows(self) -> bool:
        """True for an array to which decoders add."""
        return self.field.label is Label.REPEATED

    @property
    def is_map(self) -> bool:
        return self.field.label is Label.MAP

    @property
    def nullable(self) -> bool:
        """True if null means absent."""
        return self.field.is_optional and not self.is_primitive

    def made(self, count: str) -> str:
        """Return the expression for a new array of so many values."""
        if self.value_type == "byte[]":
            return f"new byte[{count}][]"
        return f"new {self.value_type}[{count}]"


class Holders:
    """The Java side of every message of a schema."""

    def __init__(self, schema: Schema, names: JavaNames) -> None:
        self.schema = schema
        self.names = names
        self._members: dict[str, dict[str, Member]] = {}
        self._cases: dict[str, dict[str, str]] = {}
        self._statics: dict[str, dict[str, str]] = {}
        self._footprints: dict[str, int] = {}

    def members(self, message: Message) -> tuple[Member, ...]:
        if message.full_name not in self._members:
            unique = Unique({word(c.name) for c in message.constants} | {"java", "unknown"})
            self._statics[message.full_name] = {s: unique(s) for s in ("ABSENT", "NONE")}
            unique(self.names.runtime.partition(".")[0])
            member_names = {f.name: unique(lower_camel(f.name)) for f in message.fields}
            cases = {o: unique(f"{lower_camel(o)}Case") for o in message.oneofs}
            self._cases[message.full_name] = cases
            self._members[message.full_name] = {
                f.name: self._member(message, f, member_names[f.name], cases, unique)
                for f in message.fields
            }
        return tuple(self._members[message.full_name].values())

    def member(self, message: Message, item: Field) -> Member:
        if message.full_name not in self._members:
            self.members(message)
        return self._members[message.full_name][item.name]

    def cases(self, message: Message) -> dict[str, str]:
        """Return the oneofs and the names of their case numbers."""
        self.members(message)
        return self._cases[message.full_name]

    def statics(self, message: Message) -> dict[str, str]:
        """Return names of the message that stands for absent ones, and of no messages at all."""
        self.members(message)
        return self._statics[message.full_name]

    def value_type(self, message: Message, item: Field) -> str:
        """Return the Java type of one value of a field; of a map the type of its values."""
        if item.label is Label.MAP and item.value is not None:
            return self.value_type(message, item.value)
        if isinstance(item.type, MessageRef):
            return self.names.reference(item.type.name, message.full_name)
        return self.plain_type(kind_of(item) or Kind.STRING)

    def plain_type(self, kind: Kind) -> str:
        """Return the Java type of a kind."""
        return self.names.jdk["String"] if kind is Kind.STRING else _TYPES[kind]

    def box(self, type_: str) -> str:
        return self.names.jdk[_BOXES[type_]] if type_ in _BOXES else type_

    def _member(
        self, message: Message, item: Field, name: str, cases: dict[str, str], unique: Unique
    ) -> Member:
        value_type = self.value_type(message, item)
        is_message = isinstance(item.type, MessageRef) and item.label is not Label.MAP
        is_scalar = not is_message and kind_of(item) not in (Kind.STRING, Kind.BYTES)
        single = item.label is Label.SINGLE
        defaulted = single and item.default is not None and not is_message
        return Member(
            item,
            name,
            unique(f"has{upper_camel(item.name)}") if item.is_optional and is_scalar else None,
            unique(f"{screaming(item.name)}_DEFAULT") if defaulted else None,
            cases.get(item.oneof or ""),
            value_type,
            self.box(value_type),
            self._type(message, item, value_type),
            self.zero(item),
            self._empty(item, value_type),
            item.label in (Label.ARRAY, Label.MAP),
            is_message
            and single
            and item.oneof is None
            and item.presence is not Presence.EXPLICIT
            and not self.schema.recursive(message, item),
        )

    def _type(self, message: Message, item: Field, value_type: str) -> str:
        jdk = self.names.jdk
        if item.label is Label.MAP:
            if item.key is None or item.value is None:
                raise AssertionError(item)
            key, value = (self.box(self.value_type(message, f)) for f in (item.key, item.value))
            return f"{jdk['TreeMap']}<{key}, {value}>"
        if item.label is Label.SINGLE:
            return value_type
        return f"{value_type}[]"

    def _empty(self, item: Field, value_type: str) -> str:
        if isinstance(item.type, MessageRef):
            return f"{value_type}.none()"
        kind = kind_of(item)
        names = {Kind.STRING: "STRINGS", Kind.BYTES: "BYTE_ARRAYS"}
        name = names.get(kind) if kind else None
        return f"{self.names.jdk['Wire']}.NO_{name or value_type.upper() + 'S'}"

    def zero(self, item: Field) -> str:
        kind = kind_of(item)
        if kind is None:
            return "null"
        if item.default is not None:
            return self.literal(kind, item.default)
        if kind is Kind.BYTES:
            return f"{self.names.jdk['Wire']}.NO_BYTES"
        return {Kind.STRING: '""', Kind.BOOL: "false"}.get(kind, "0")

    def literal(self, kind: Kind, value: Value) -> str:
        if kind is Kind.BOOL:
            return "true" if value else "false"
        if kind is Kind.STRING:
            return escape.literal(value) if isinstance(value, str) else '""'
        if kind is Kind.BYTES:
            return escape.bytes_literal(value if isinstance(value, bytes) else b"")
        if kind in (Kind.FLOAT32, Kind.FLOAT64):
            return _real(float(value), "f" if kind is Kind.FLOAT32 else "")
        number = int(value)
        bits = 8 * (kind.width or 0)
        if kind in UNSIGNED and number >> (bits - 1):
            number -= 1 << bits
        return f"{number}L" if bits == 64 else str(number)

    def footprint(self, name: str) -> int:
        """Return about how many bytes of memory a new object of the message takes."""
        if not self._footprints:
            for message in self.schema.inside_out:
                self._footprints[message.full_name] = self._footprint(message)
        return self._footprints[name]

    def _footprint(self, message: Message) -> int:
        total = OBJECT
        for member in self.members(message):
            total += REFERENCE
            item = member.field
            if member.eager and isinstance(item.type, MessageRef):
                total += self._footprints[item.type.name]
            elif member.is_map:
                total += MAP
            elif member.is_array:
                each = OBJECT
                if isinstance(item.type, MessageRef):
                    each = self._footprints.get(item.type.name, OBJECT)
                total += OBJECT + (item.capacity or 0) * each
        return total


def kind_of(item: Field) -> Kind | None:
    """Return the kind of one value in Java; enums are integers. None for a message."""
    if isinstance(item.type, EnumRef):
        return Kind.INT32
    return item.type if isinstance(item.type, Kind) else None


def _real(value: float, suffix: str) -> str:
    if math.isnan(value):
        return f"0.0{suffix} / 0.0{suffix}"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}1.0{suffix} / 0.0{suffix}"
    return f"{value!r}{suffix}"
