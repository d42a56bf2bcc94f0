# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON, as Protobuf maps messages to it.

Here are the names of fields, and the messages whose JSON is a form of their own. Text is written
and read by a runtime that walks one table per message; what differs between messages is all here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from wirecost.schema.compile.per_schema import per_schema
from wirecost.schema.compile.schema import (
    CompileError,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)
from wirecost.system.errors import UserError


class JsonForm(StrEnum):
    """Form in which a message is written."""

    OBJECT = ""
    """Object of its fields."""
    ANY = "any"
    DURATION = "duration"
    FIELD_MASK = "field_mask"
    LIST = "list"
    STRUCT = "struct"
    TIMESTAMP = "timestamp"
    VALUE = "value"
    WRAPPER = "wrapper"


class JsonShape(StrEnum):
    """Number of values of a field, and when it is written."""

    IMPLICIT = ""
    """A scalar that is left out if it has its default."""
    LACKING = "?"
    """A value that may be absent."""
    ALWAYS = "!"
    REPEATED = "*"
    ARRAY = "#"
    MAP = "map"


_SHAPES = {
    Label.REPEATED: JsonShape.REPEATED,
    Label.ARRAY: JsonShape.ARRAY,
    Label.MAP: JsonShape.MAP,
}

NULL = "google.protobuf.NullValue"
"""The enum whose only value is JSON's null."""
ANY = "google.protobuf.Any"

_FORMS: Mapping[str, tuple[JsonForm, str]] = {
    ANY: (JsonForm.ANY, "1 type_url string, 2 value bytes"),
    "google.protobuf.Duration": (JsonForm.DURATION, "1 seconds int64, 2 nanos int32"),
    "google.protobuf.FieldMask": (JsonForm.FIELD_MASK, "1 paths repeated string"),
    "google.protobuf.ListValue": (JsonForm.LIST, "1 values repeated google.protobuf.Value"),
    "google.protobuf.Struct": (JsonForm.STRUCT, "1 fields map string google.protobuf.Value"),
    "google.protobuf.Timestamp": (JsonForm.TIMESTAMP, "1 seconds int64, 2 nanos int32"),
    "google.protobuf.Value": (
        JsonForm.VALUE,
        f"1 null_value kind {NULL}, 2 number_value kind float64, 3 string_value kind string, "
        "4 bool_value kind bool, 5 struct_value kind google.protobuf.Struct, "
        "6 list_value kind google.protobuf.ListValue",
    ),
    **{
        f"google.protobuf.{name}Value": (JsonForm.WRAPPER, f"1 value {kind}")
        for name, kind in (
            ("Bool", Kind.BOOL),
            ("Bytes", Kind.BYTES),
            ("Double", Kind.FLOAT64),
            ("Float", Kind.FLOAT32),
            ("Int32", Kind.INT32),
            ("Int64", Kind.INT64),
            ("String", Kind.STRING),
            ("UInt32", Kind.UINT32),
            ("UInt64", Kind.UINT64),
        )
    },
}
"""Protobuf's well-known messages, and the fields by which they are recognised: another message of
such a name is written as any other."""


def form(message: Message) -> JsonForm:
    if message.full_name not in _FORMS:
        return JsonForm.OBJECT
    special, fields = _FORMS[message.full_name]
    return special if fields == ", ".join(map(_described, message.fields)) else JsonForm.OBJECT


def shape(schema: Schema, message: Message, item: Field) -> JsonShape:
    if item.label is not Label.SINGLE:
        return _SHAPES[item.label]
    if item.is_optional or item.oneof is not None or schema.recursive(message, item):
        return JsonShape.LACKING
    always = item.presence is Presence.REQUIRED or isinstance(item.type, MessageRef)
    return JsonShape.ALWAYS if always else JsonShape.IMPLICIT


def name(item: Field) -> str:
    """Return the field's name in JSON: the declared one, or its own in lowerCamelCase.

    It may hold any characters, so that only the functions of ``emit.escape`` may print it.
    """
    return item.json_name or lower_camel(item.name)


def lower_camel(text: str) -> str:
    """Return a name as protoc derives those of JSON: ``field_name`` → ``fieldName``."""
    return re.sub("_+(.?)", lambda found: found[1].upper(), text)


def has_any(schema: Schema) -> bool:
    """Return whether a message holds messages of types that only its content names."""
    return any(form(message) is JsonForm.ANY for message in schema.messages())


def check(schema: Schema, wires: tuple[str, ...]) -> None:
    """Raise CompileError or UserError for a schema that has no JSON."""
    if has_any(schema) and "protobuf" not in wires:
        raise UserError(f"--json: {ANY} holds Protobuf's bytes; add protobuf to --wire")
    for message in schema.messages():
        by_name: dict[str, Field] = {}
        for item in message.fields:
            other = by_name.setdefault(name(item), item)
            if other is not item:
                raise CompileError(
                    item.origin,
                    f"{message.full_name}: the fields {other.name} and {item.name} have the same "
                    "name in JSON",
                    "give one of them another json_name",
                )


@per_schema
def printed_names(schema: Schema) -> dict[str, dict[int, str]]:
    """Return for each enum the name of each number: of several the one that is declared first."""
    return {
        enum.full_name: {value.number: value.name for value in reversed(enum.values)}
        for file in schema.files
        for enum in file.enums
    }


def _described(item: Field) -> str:
    if item.label is Label.MAP and item.key and item.value:
        return f"{item.number} {item.name} map {_type(item.key)} {_type(item.value)}"
    words = [str(item.number), item.name]
    if item.label is not Label.SINGLE:
        words.append(item.label.value)
    if item.is_optional:
        words.append("optional")
    return " ".join([*words, *([item.oneof] if item.oneof else []), _type(item)])


def _type(item: Field) -> str:
    return item.type.value if isinstance(item.type, Kind) else item.type.name
