# SPDX-License-Identifier: Apache-2.0
"""Fields of the user's schema in a schema derived from it for another library.

Names there are numbers, so that none is a word of that library's language or of C++.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.schema.compile.emit.cpp.names import identifier, member
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message, MessageRef, Schema

NUMBERS = {
    Kind.BOOL: "bool",
    Kind.INT8: "std::int8_t",
    Kind.UINT8: "std::uint8_t",
    Kind.INT16: "std::int16_t",
    Kind.UINT16: "std::uint16_t",
    Kind.INT32: "std::int32_t",
    Kind.UINT32: "std::uint32_t",
    Kind.INT64: "std::int64_t",
    Kind.UINT64: "std::uint64_t",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
}
"""C++ types of numbers."""

Name = Callable[[str], str]
"""Function from a message's full name to its name in the derived schema."""


@dataclass(frozen=True)
class EntryPart:
    """Key or value of a map's entries: how it is built, its number's and its message's type."""

    form: str
    type: str
    value: str


@dataclass(frozen=True)
class DerivedField:
    """A field of a derived message, and where it lies in the holder."""

    place: int
    member: str
    oneof: str
    index: int | None
    can_lack: bool
    form: str
    type: str
    value: str
    entry: str
    """Name of the message of a map's entries."""
    key: EntryPart | None
    held: EntryPart | None


def derived_fields(
    message: Message, name: Name, is_struct: Callable[[str], bool]
) -> list[DerivedField]:
    """Return the fields of a message; ``is_struct``: whether a message's form is ``struct``."""

    def part(field: Field | None) -> EntryPart | None:
        if field is None:
            return None
        return EntryPart(form(field, is_struct), number_type(field), value(field))

    def value(field: Field) -> str:
        """Return the message that a field holds; a map's entries are none."""
        is_message = isinstance(field.type, MessageRef) and field.label is not Label.MAP
        return name(field.type.name) if is_message else ""

    return [
        DerivedField(
            place=place,
            member=member(field),
            oneof=identifier(field.oneof) if field.oneof is not None else "",
            index=message.choices.get(field.name),
            can_lack=can_lack(field),
            form=form(field, is_struct),
            type=number_type(field),
            value=value(field),
            entry=f"{name(message.full_name)}E{place}",
            key=part(field.key),
            held=part(field.value),
        )
        for place, field in enumerate(message.fields)
    ]


def struct_messages(schema: Schema, top: str) -> frozenset[str]:
    """Return the messages but ``top`` that hold nothing but numbers that are always there."""
    structs: set[str] = set()

    def fits(message: Message, field: Field) -> bool:
        if field.label is not Label.SINGLE or can_lack(field):
            return False
        if isinstance(field.type, MessageRef):
            return field.type.name in structs and not schema.recursive(message, field)
        return is_number(field)

    for message in schema.inside_out:  # what a message holds is known before it
        fields = message.fields
        if message.full_name != top and fields and all(fits(message, f) for f in fields):
            structs.add(message.full_name)
    return frozenset(structs)


def form(field: Field, is_struct: Callable[[str], bool]) -> str:
    """Return the form in which a field is built and read."""
    if field.label is Label.MAP:
        return "map"
    if is_octets(field):
        return "octets"
    single = "number"
    if isinstance(field.type, MessageRef):
        single = "struct" if is_struct(field.type.name) else "table"
    elif field.type is Kind.STRING:
        single = "text"
    elif field.type is Kind.BYTES:
        single = "octets"
    return f"{single}s" if is_list(field) else single


def is_number(field: Field) -> bool:
    return isinstance(field.type, EnumRef) or (
        isinstance(field.type, Kind) and not field.type.is_text
    )


def can_lack(field: Field) -> bool:
    """Return whether a single field can be absent."""
    return field.is_optional or field.oneof is not None


def number_type(field: Field) -> str:
    """Return the C++ type of a field's numbers; empty where it holds none."""
    if isinstance(field.type, Kind) and field.type in NUMBERS:
        return NUMBERS[field.type]
    return "std::int32_t" if isinstance(field.type, EnumRef) else ""
