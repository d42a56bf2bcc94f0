# SPDX-License-Identifier: Apache-2.0
"""A schema of FlatBuffers derived from the user's, and the program that builds and reads tables.

Messages of numbers that are always there become structs, all others tables; what can be absent is
`null` by default; entries of maps are tables, and so are the elements of lists of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirecost.data.messages.shapes import is_list
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.cpp.code import ROOT, rendered
from wirecost.measure.serializers.cpp.derived import (
    DerivedField,
    can_lack,
    derived_fields,
    is_number,
    struct_messages,
)
from wirecost.schema.compile.emit.cpp.names import CppNames
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message, MessageRef

Texts = dict[str, str]

_TYPES = {
    Kind.BOOL: "bool",
    Kind.INT8: "byte",
    Kind.UINT8: "ubyte",
    Kind.INT16: "short",
    Kind.UINT16: "ushort",
    Kind.INT32: "int",
    Kind.UINT32: "uint",
    Kind.INT64: "long",
    Kind.UINT64: "ulong",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
}
"""Types of numbers in a schema of FlatBuffers."""
SCHEMA = "message.fbs"


@dataclass(frozen=True)
class _Table:
    """A message as a table or struct."""

    name: str
    is_struct: bool
    holder: str
    fields: list[DerivedField]


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
    def __init__(self, subject: Subject) -> None:
        self._names = CppNames(subject.schema, ROOT)
        messages = list(subject.schema.messages())
        self._numbers = {message.full_name: i for i, message in enumerate(messages)}
        self._structs = struct_messages(subject.schema, subject.type)
        self.ordered = [
            *(m for m in subject.schema.inside_out if m.full_name in self._structs),
            *(m for m in messages if m.full_name not in self._structs),
        ]

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
        return f"{single} = null" if can_lack(field) and is_number(field) else single

    def _single(self, field: Field) -> str:
        if isinstance(field.type, MessageRef):
            return self.name(field.type.name)
        if isinstance(field.type, EnumRef):
            return "int"
        if field.type is Kind.STRING:
            return "string"
        return "[ubyte]" if field.type is Kind.BYTES else _TYPES[field.type]

    def message(self, message: Message) -> _Table:
        name = self.name(message.full_name)
        return _Table(
            name=name,
            is_struct=name[0] == "S",
            holder=self._names.qualified(MessageRef(message.full_name)),
            fields=derived_fields(message, self.name, self._structs.__contains__),
        )
