# SPDX-License-Identifier: Apache-2.0
"""Messages and enums as C++ structs: what the template ``holders.hpp.j2`` prints."""

from __future__ import annotations

from types import SimpleNamespace

from wirecost.schema.compile.emit.cpp.bounds import bounded, excesses
from wirecost.schema.compile.emit.cpp.names import Names, identifier, member, type_name
from wirecost.schema.compile.emit.cpp.order import defined_in_order
from wirecost.schema.compile.emit.escape import cpp as escape
from wirecost.schema.compile.schema import (
    Enum,
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Schema,
)


def enums(names: Names, file: File) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(
            name=names.plain(enum),
            comment=enum.comment,
            values=[
                SimpleNamespace(name=identifier(v.name), number=v.number, comment=v.comment)
                for v in enum.values
            ],
            numbers=list(dict.fromkeys(v.number for v in enum.values)),
        )
        for enum in file.enums
    ]


def holders(schema: Schema, names: Names, file: File) -> list[SimpleNamespace]:
    return [_holder(schema, names, file, m) for m in defined_in_order(schema, file)]


def _holder(schema: Schema, names: Names, file: File, message: Message) -> SimpleNamespace:
    plain = [f for f in message.fields if f.oneof is None]
    return SimpleNamespace(
        name=names.plain(message),
        comment=message.comment,
        bounded=bounded(schema, message),
        excesses=excesses(schema, message),
        aliases=aliases(names, file, message),
        constants=[
            SimpleNamespace(
                name=identifier(c.name),
                comment=c.comment,
                type="std::string_view" if c.type.is_text else names.value(c.type),
                value=names.literal(c.type, c.value),
            )
            for c in message.constants
        ],
        defaults=[
            SimpleNamespace(
                name=f"{f.name}_default",
                type="std::string_view" if _is_text(f) else names.value(f.type),
                value=names.literal(f.type, f.default),
            )
            for f in message.fields
            if f.default is not None and f.is_optional
        ],
        oneofs=[
            SimpleNamespace(
                name=identifier(oneof),
                members=[
                    SimpleNamespace(name=f.name, type=type_, field=f)
                    for f, type_ in names.alternatives(message, oneof)
                ],
            )
            for oneof in message.oneofs
        ],
        fields=[
            SimpleNamespace(
                name=member(f),
                comment=f.comment,
                type=names.holder(message, f),
                initial=_initializer(names, message, f),
                initial_value=initial_value(names, f),
                array=f.label is Label.ARRAY,
                field=f,
            )
            for f in plain
        ],
    )


def _initializer(names: Names, message: Message, item: Field) -> str:
    """Return what stands behind a member: class types need nothing, and an explicit initializer
    would ask for the definition of what they hold."""
    given = initial_value(names, item)
    if given:
        return f" = {given}"
    return "" if names.holder(message, item).startswith(("wirecost::", "std::vector")) else "{}"


def initial_value(names: Names, item: Field) -> str:
    """Return the initializer of a field that always has a value, if not zero or empty."""
    if item.label is not Label.SINGLE or item.is_optional or item.default is None:
        return ""
    if isinstance(item.default, (str, bytes)):
        return escape.literal(item.default)
    return names.literal(item.type, item.default)


def _is_text(item: Field) -> bool:
    return isinstance(item.type, Kind) and item.type.is_text


def aliases(names: Names, file: File, message: Message) -> list[SimpleNamespace]:
    """Return names by which code reaches nested types: ``Outer::Inner``."""
    fields = {member(f) for f in message.fields} | set(message.oneofs)
    nested: list[tuple[str, str]] = []
    for declared in file.nested.get(message.full_name, ()):
        inner = declared.full_name.rpartition(".")[2]
        if type_name(inner) in fields:
            continue
        reference = (
            EnumRef(declared.full_name)
            if isinstance(declared, Enum)
            else MessageRef(declared.full_name)
        )
        nested.append((type_name(inner), names.qualified(reference)))
    return [SimpleNamespace(name=name, type=type_) for name, type_ in nested]
