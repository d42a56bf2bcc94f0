# SPDX-License-Identifier: Apache-2.0
"""A schema of Cap'n Proto derived from the user's, and the program that builds and reads it.

Each message becomes a struct, each oneof a union whose first member is nothing. A number that can
be absent has a flag beside it; a text, bytes or a message that is absent is a null pointer. Entries
of maps are structs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.message.cpp.code import ROOT, rendered
from wirecost.measure.bench.message.cpp.derived import (
    DerivedField,
    can_lack,
    derived_fields,
    is_number,
)
from wirecost.schema.compile.emit.cpp.names import CppNames, identifier
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message, MessageRef

Texts = dict[str, str]

SCHEMA = "message.capnp"
FILE_ID = "@0xb1d5c0a7e35f4c01"
"""Any number with the highest bit: nothing refers to the file."""
_HEADER = f"""{FILE_ID};
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp");"""
_TYPES = {
    Kind.BOOL: "Bool",
    Kind.INT8: "Int8",
    Kind.UINT8: "UInt8",
    Kind.INT16: "Int16",
    Kind.UINT16: "UInt16",
    Kind.INT32: "Int32",
    Kind.UINT32: "UInt32",
    Kind.INT64: "Int64",
    Kind.UINT64: "UInt64",
    Kind.FLOAT32: "Float32",
    Kind.FLOAT64: "Float64",
    Kind.STRING: "Text",
    Kind.BYTES: "Data",
}
"""Types in a schema of Cap'n Proto."""


@dataclass(frozen=True)
class _Union:
    """A oneof: the group's number, the member of the holder, and the fields that it can hold."""

    place: int
    member: str
    fields: list[DerivedField]


@dataclass(frozen=True)
class _Struct:
    """A message as a struct; ``fields``: those in no union."""

    name: str
    holder: str
    fields: list[DerivedField]
    unions: list[_Union]


def capnproto(subject: Subject) -> Texts:
    """Return the schema, and ``capnproto.cpp``."""
    derived = _Derived(subject)
    messages = list(subject.schema.messages())
    return {
        SCHEMA: "\n".join((_HEADER, *(line for m in messages for line in derived.text(m)))) + "\n",
        "capnproto.cpp": rendered(
            "capnproto.cpp.j2",
            type=subject.type,
            top=derived.name(subject.type),
            messages=[derived.message(message) for message in messages],
        ),
    }


class _Derived:
    def __init__(self, subject: Subject) -> None:
        self._names = CppNames(subject.schema, ROOT)
        messages = subject.schema.messages()
        self._numbers = {message.full_name: i for i, message in enumerate(messages)}

    def name(self, full_name: str) -> str:
        return f"T{self._numbers[full_name]}"

    def text(self, message: Message) -> Iterator[str]:
        """Yield the struct of a message and those of its maps' entries."""
        name = self.name(message.full_name)
        for place, field in enumerate(message.fields):
            if field.key is not None and field.value is not None:
                key, value = self._single(field.key), self._single(field.value)
                yield f"struct {name}E{place} {{ k @0 :{key}; v @1 :{value}; }}"
        ordinals = count()
        yield f"struct {name} {{"
        for place, field in enumerate(message.fields):
            if field.oneof is None:
                yield f"  f{place} @{next(ordinals)} :{self._type(name, place, field)};"
                if can_lack(field) and is_number(field):
                    yield f"  h{place} @{next(ordinals)} :Bool;"
        for number, oneof in enumerate(message.oneofs):
            # What has the lowest ordinal is there by default.
            yield f"  c{number} :union {{ n @{next(ordinals)} :Void;"
            for place, field in enumerate(message.fields):
                if field.oneof == oneof:
                    yield f"    f{place} @{next(ordinals)} :{self._single(field)};"
            yield "  }"
        yield "}"

    def _type(self, name: str, place: int, field: Field) -> str:
        if field.label is Label.MAP:
            return f"List({name}E{place})"
        if is_octets(field):
            return "Data"
        return f"List({self._single(field)})" if is_list(field) else self._single(field)

    def _single(self, field: Field) -> str:
        if isinstance(field.type, MessageRef):
            return self.name(field.type.name)
        # Enums of Cap'n Proto have 16 bits and no gaps.
        return "Int32" if isinstance(field.type, EnumRef) else _TYPES[field.type]

    def message(self, message: Message) -> _Struct:
        fields = derived_fields(message, self.name, lambda _: False)
        return _Struct(
            name=self.name(message.full_name),
            holder=self._names.qualified(MessageRef(message.full_name)),
            fields=[field for field in fields if not field.oneof],
            unions=[
                _Union(number, oneof, [field for field in fields if field.oneof == oneof])
                for number, oneof in enumerate(map(identifier, message.oneofs))
            ],
        )
