# SPDX-License-Identifier: Apache-2.0
"""Tables by which the runtime's ``wirecost/json`` writes and reads holders as JSON.

The templates ``json.hpp.j2`` and ``json_types.hpp.j2`` print them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirecost.schema.compile.emit.cpp.names import CppNames, identifier, member
from wirecost.schema.compile.emit.escape import cpp as escape
from wirecost.schema.compile.plan import json
from wirecost.schema.compile.schema import (
    Enum,
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

TYPES = "json.types.hpp"
"""The header with all messages: no schema's file has this name, for its point."""
_KINDS = {kind: kind.value for kind in Kind} | {Kind.BOOL: "boolean"}
_FORMS = {json.JsonForm.OBJECT: "object", json.JsonForm.STRUCT: "structure"}
_PLAIN = re.compile(r"[A-Za-z0-9_]+")
_UNBOUNDED = "SIZE_MAX"


@dataclass(frozen=True)
class JsonEnum:
    """Table of an enum; ``closed`` is C++'s ``true`` or ``false``."""

    type: str
    closed: str
    by_number: list[tuple[str, int]]
    by_name: list[tuple[str, int]]


@dataclass(frozen=True)
class JsonMessage:
    """Table of a message."""

    name: str
    type: str
    plain: str
    """Name of the holder within its namespace."""
    form: str
    fields: list[str]
    """Expressions that make the fields' lines."""
    names: list[tuple[str, int]]
    requires: bool


@dataclass(frozen=True)
class AnyType:
    """A message that an ``Any`` may hold, with its holder and codec."""

    name: str
    holder: str
    codec: str


@dataclass(frozen=True)
class AnyTypes:
    """All messages in the order of their names, and the codec of each namespace."""

    headers: list[str]
    codecs: dict[str, str]
    types: list[AnyType]


class Tables:
    """Tables of a schema. ``names`` must see no file, so that it writes all names in full."""

    def __init__(self, schema: Schema, names: CppNames) -> None:
        self._schema, self._names = schema, names

    def enums(self, file: File) -> list[JsonEnum]:
        return [self._enum(enum) for enum in file.enums]

    def messages(self, file: File) -> list[JsonMessage]:
        return [self._message(message) for message in file.messages]

    def types(self) -> AnyTypes:
        """Return all messages of the schema."""
        files = [file for file in self._schema.files if file.messages]
        codecs = {space: _codec(space) for space in map(self._names.namespace, files)}
        types = [
            AnyType(
                message.full_name,
                self._names.qualified(MessageRef(message.full_name)),
                codecs[self._names.namespace(file)],
            )
            for file in files
            for message in file.messages
        ]
        return AnyTypes(
            [
                self._names.header(file, suffix)
                for file in files
                for suffix in (".json", ".protobuf")
            ],
            codecs,
            sorted(types, key=lambda type_: type_.name),
        )

    def _enum(self, enum: Enum) -> JsonEnum:
        printed = json.printed_names(self._schema)[enum.full_name]
        return JsonEnum(
            type=self._names.qualified(EnumRef(enum.full_name)),
            closed="true" if enum.closed else "false",
            by_number=[(printed[number], number) for number in sorted(printed)],
            by_name=sorted((value.name, value.number) for value in enum.values),
        )

    def _message(self, message: Message) -> JsonMessage:
        form = json.form(message)
        return JsonMessage(
            name=message.full_name,
            type=self._names.qualified(MessageRef(message.full_name)),
            plain=self._names.plain(message),
            form=_FORMS.get(form, form.value),
            fields=[self._field(message, item) for item in message.fields],
            names=_names(message),
            requires=any(item.presence is Presence.REQUIRED for item in message.fields),
        )

    def _field(self, message: Message, item: Field) -> str:
        """Return a call that makes the field's line of the table."""
        place = f"field<&M::{member(item)}>"
        if item.oneof is not None:
            place = f"choice<&M::{identifier(item.oneof)}, {message.choices[item.name]}>"
        kind = _kind(item.type if item.value is None else item.value.type)
        arguments = [f'"{item.name}"', _literal(json.name(item)), f"Kind::{kind}"]
        arguments.append(f"Shape::{self._shape(message, item)}")
        more = [
            f"Kind::{_kind(item.key.type) if item.key else 'string'}",
            str(item.capacity) if item.label is Label.REPEATED and item.capacity else _UNBOUNDED,
            str(item.text_capacity) if item.text_capacity is not None else _UNBOUNDED,
        ]
        while more and more[-1] in ("Kind::string", _UNBOUNDED):
            more.pop()
        return f"{place}({{{', '.join([*arguments, *more])}}})"

    def _shape(self, message: Message, item: Field) -> str:
        if item.presence is Presence.REQUIRED:
            return "required"
        return json.shape(self._schema, message, item).name.lower()


def _codec(space: str) -> str:
    """Return a name for each namespace, the same in all runs: ``a::bc`` → ``Codec1a2bc``."""
    return "Codec" + "".join(f"{len(part)}{part}" for part in space.split("::"))


def _kind(type_: Kind | EnumRef | MessageRef) -> str:
    if isinstance(type_, Kind):
        return _KINDS[type_]
    if isinstance(type_, MessageRef):
        return "message"
    return "null" if type_.name == json.NULL else "enumeration"


def _names(message: Message) -> list[tuple[str, int]]:
    """Return all names that a field may have, as literals, and the field's index.

    They are in the order of their bytes.
    """
    places = {item.name: i for i, item in enumerate(message.fields)}
    places |= {json.name(item): i for i, item in enumerate(message.fields)}
    in_order = sorted(places.items(), key=lambda pair: pair[0].encode("utf-8", "surrogatepass"))
    return [(_literal(name), i) for name, i in in_order]


def _literal(name: str) -> str:
    """Write a literal; most names need no escaping."""
    return f'"{"".join(name)}"' if _PLAIN.fullmatch(name) else escape.literal(name)
