# SPDX-License-Identifier: Apache-2.0
"""A schema of FlatBuffers derived from the user's, and the program that builds and reads tables.

Messages of numbers that are always there become structs, all others tables; what can be absent is
`null` by default; entries of maps are tables, and so are the elements of lists of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirecost.measure.bench.message.cpp.code import ROOT, rendered
from wirecost.measure.bench.message.shapes import is_list, is_octets
from wirecost.measure.bench.message.subject import Subject
from wirecost.schema.compile.emit.cpp.names import CppNames, identifier, member
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message, MessageRef

Texts = dict[str, str]

_TYPES = {
    Kind.BOOL: ("bool", "bool"),
    Kind.INT8: ("byte", "std::int8_t"),
    Kind.UINT8: ("ubyte", "std::uint8_t"),
    Kind.INT16: ("short", "std::int16_t"),
    Kind.UINT16: ("ushort", "std::uint16_t"),
    Kind.INT32: ("int", "std::int32_t"),
    Kind.UINT32: ("uint", "std::uint32_t"),
    Kind.INT64: ("long", "std::int64_t"),
    Kind.UINT64: ("ulong", "std::uint64_t"),
    Kind.FLOAT32: ("float", "float"),
    Kind.FLOAT64: ("double", "double"),
}
"""Types in a schema of FlatBuffers, and in C++."""
SCHEMA = "message.fbs"


@dataclass(frozen=True)
class _EntryPart:
    """Key or value of a map's entries: how it is built, its number's and its message's type."""

    form: str
    type: str
    value: str


@dataclass(frozen=True)
class _TableField:
    """A field of a table or struct, and where it lies in the holder."""

    place: int
    member: str
    oneof: str
    index: int | None
    can_lack: bool
    form: str
    type: str
    value: str
    entry: str
    """Name of the table of a map's entries."""
    key: _EntryPart | None
    held: _EntryPart | None


@dataclass(frozen=True)
class _Table:
    """A message as a table or struct."""

    name: str
    is_struct: bool
    holder: str
    fields: list[_TableField]


def flatbuffers(subject: Subject) -> Texts:
    """Return the schema, and ``flatbuffers.cpp``."""
    derived = _Derived(subject)
    return {
        SCHEMA: "\n".join(derived.text()) + "\n",
        "flatbuffers.cpp": rendered(
            "flatbuffers.cpp.j2",
            type=subject.type,
            top=derived.name(subject.type),
            messages=[derived.message(message) for message in derived.ordered],
        ),
    }


class _Derived:
    """Names are numbers, so that none is a word of FlatBuffers or of C++."""

    def __init__(self, subject: Subject) -> None:
        self._schema = subject.schema
        self._names = CppNames(subject.schema, ROOT)
        messages = list(subject.schema.messages())
        self._numbers = {message.full_name: i for i, message in enumerate(messages)}
        self._structs: set[str] = set()
        # Structs hold structs, which are known before them.
        for message in subject.schema.inside_out:
            if message.full_name != subject.type and self._can_be_struct(message):
                self._structs.add(message.full_name)
        self.ordered = [
            *(m for m in subject.schema.inside_out if m.full_name in self._structs),
            *(m for m in messages if m.full_name not in self._structs),
        ]

    def _can_be_struct(self, message: Message) -> bool:
        return bool(message.fields) and all(
            self._fits_struct(message, field) for field in message.fields
        )

    def _fits_struct(self, message: Message, field: Field) -> bool:
        if field.label is not Label.SINGLE or field.is_optional or field.oneof is not None:
            return False
        if isinstance(field.type, MessageRef):
            return field.type.name in self._structs and not self._schema.recursive(message, field)
        return isinstance(field.type, EnumRef) or not field.type.is_text

    def name(self, full_name: str) -> str:
        kind = "S" if full_name in self._structs else "T"
        return f"{kind}{self._numbers[full_name]}"

    def text(self) -> Iterator[str]:
        yield "namespace fb;"
        yield "table Bytes { v: [ubyte]; }"
        for message in self.ordered:
            name = self.name(message.full_name)
            for i, field in enumerate(message.fields):
                if field.key is not None and field.value is not None:
                    key, value = self._single(field.key), self._single(field.value)
                    yield f"table {name}E{i} {{ k: {key}; v: {value}; }}"
            fields = " ".join(
                f"f{i}: {self._type(name, i, field)};" for i, field in enumerate(message.fields)
            )
            yield f"{'struct' if name[0] == 'S' else 'table'} {name} {{ {fields} }}"

    def _type(self, name: str, place: int, field: Field) -> str:
        if field.label is Label.MAP:
            return f"[{name}E{place}]"
        if is_list(field):
            return "[Bytes]" if field.type is Kind.BYTES else f"[{self._single(field)}]"
        single = self._single(field)
        return f"{single} = null" if _can_lack(field) and _is_number(field) else single

    def _single(self, field: Field) -> str:
        if isinstance(field.type, MessageRef):
            return self.name(field.type.name)
        if isinstance(field.type, EnumRef):
            return "int"
        if field.type is Kind.STRING:
            return "string"
        return "[ubyte]" if field.type is Kind.BYTES else _TYPES[field.type][0]

    def message(self, message: Message) -> _Table:
        name = self.name(message.full_name)
        return _Table(
            name=name,
            is_struct=name[0] == "S",
            holder=self._names.qualified(MessageRef(message.full_name)),
            fields=[self._field(message, name, i, field) for i, field in enumerate(message.fields)],
        )

    def _field(self, message: Message, name: str, place: int, field: Field) -> _TableField:
        oneof = identifier(field.oneof) if field.oneof is not None else ""
        return _TableField(
            place=place,
            member=member(field),
            oneof=oneof,
            index=message.choices.get(field.name),
            can_lack=_can_lack(field),
            form=self._form(field),
            type=_number_type(field),
            value=self._value(field),
            entry=f"{name}E{place}",
            key=self._entry_part(field.key),
            held=self._entry_part(field.value),
        )

    def _entry_part(self, field: Field | None) -> _EntryPart | None:
        if field is None:
            return None
        return _EntryPart(self._form(field), _number_type(field), self._value(field))

    def _value(self, field: Field) -> str:
        """Return the message that a field holds; a map's entries are none."""
        is_message = isinstance(field.type, MessageRef) and field.label is not Label.MAP
        return self.name(field.type.name) if is_message else ""

    def _form(self, field: Field) -> str:
        """Return the form in which a field is built and read."""
        if field.label is Label.MAP:
            return "map"
        if is_octets(field):
            return "octets"
        form = "number"
        if isinstance(field.type, MessageRef):
            form = "struct" if field.type.name in self._structs else "table"
        elif field.type is Kind.STRING:
            form = "text"
        elif field.type is Kind.BYTES:
            form = "octets"
        return f"{form}s" if is_list(field) else form


def _is_number(field: Field) -> bool:
    return isinstance(field.type, EnumRef) or (
        isinstance(field.type, Kind) and not field.type.is_text
    )


def _can_lack(field: Field) -> bool:
    return field.is_optional or field.oneof is not None


def _number_type(field: Field) -> str:
    if isinstance(field.type, Kind) and field.type in _TYPES:
        return _TYPES[field.type][1]
    return "std::int32_t" if isinstance(field.type, EnumRef) else ""
