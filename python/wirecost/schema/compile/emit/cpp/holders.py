# SPDX-License-Identifier: Apache-2.0
"""Messages and enums as C++ structs: what the template ``holders.hpp.j2`` prints."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.schema.compile.emit.cpp.bounds import Excess, bounded, excesses
from wirecost.schema.compile.emit.cpp.names import (
    CppNames,
    NamedType,
    identifier,
    member,
    type_name,
)
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


@dataclass(frozen=True)
class Enumerator:
    """A value of a scoped enum."""

    name: str
    number: int
    comment: str


@dataclass(frozen=True)
class ScopedEnum:
    """An enum; ``numbers``: each number once, though several values may have it."""

    name: str
    comment: str
    values: list[Enumerator]
    numbers: list[int]


@dataclass(frozen=True)
class HolderConstant:
    """A constant of a struct, with the literal of its value."""

    name: str
    type: str
    value: str
    comment: str = ""


@dataclass(frozen=True)
class HolderOneof:
    """A oneof as a variant."""

    name: str
    members: list[NamedType]


@dataclass(frozen=True)
class HolderField:
    """A data member of a struct."""

    name: str
    type: str
    comment: str
    initial: str
    """Text behind the member's declaration."""
    initial_value: str
    """Expression of the value to which it is cleared; empty for zero or nothing."""
    array: bool


@dataclass(frozen=True)
class HolderStruct:
    """A message as a struct."""

    name: str
    comment: str
    bounded: bool
    excesses: list[Excess]
    aliases: list[NamedType]
    constants: list[HolderConstant]
    defaults: list[HolderConstant]
    oneofs: list[HolderOneof]
    fields: list[HolderField]


def enums(names: CppNames, file: File) -> list[ScopedEnum]:
    return [
        ScopedEnum(
            names.plain(enum),
            enum.comment,
            [Enumerator(identifier(v.name), v.number, v.comment) for v in enum.values],
            list(dict.fromkeys(v.number for v in enum.values)),
        )
        for enum in file.enums
    ]


def holders(schema: Schema, names: CppNames, file: File) -> list[HolderStruct]:
    return [_holder(schema, names, file, m) for m in defined_in_order(schema, file)]


def _holder(schema: Schema, names: CppNames, file: File, message: Message) -> HolderStruct:
    plain = [f for f in message.fields if f.oneof is None]
    return HolderStruct(
        name=names.plain(message),
        comment=message.comment,
        bounded=bounded(schema, message),
        excesses=excesses(schema, message),
        aliases=aliases(names, file, message),
        constants=[
            HolderConstant(
                name=identifier(c.name),
                comment=c.comment,
                type="std::string_view" if c.type.is_text else names.value(c.type),
                value=names.literal(c.type, c.value),
            )
            for c in message.constants
        ],
        defaults=[
            HolderConstant(
                name=f"{f.name}_default",
                type="std::string_view" if _is_text(f) else names.value(f.type),
                value=names.literal(f.type, f.default),
            )
            for f in message.fields
            if f.default is not None and f.is_optional
        ],
        oneofs=[
            HolderOneof(
                identifier(oneof),
                [NamedType(f.name, type_) for f, type_ in names.alternatives(message, oneof)],
            )
            for oneof in message.oneofs
        ],
        fields=[
            HolderField(
                name=member(f),
                comment=f.comment,
                type=names.holder(message, f),
                initial=_initializer(names, message, f),
                initial_value=initial_value(names, f),
                array=f.label is Label.ARRAY,
            )
            for f in plain
        ],
    )


def _initializer(names: CppNames, message: Message, item: Field) -> str:
    """Return what stands behind a member.

    Class types need nothing: an explicit initializer would need the definition of what they hold.
    """
    value = initial_value(names, item)
    if value:
        return f" = {value}"
    return "" if names.holder(message, item).startswith(("wirecost::", "std::vector")) else "{}"


def initial_value(names: CppNames, item: Field) -> str:
    """Return the initializer of a field that always has a value, if not zero or empty."""
    if item.label is not Label.SINGLE or item.is_optional or item.default is None:
        return ""
    if isinstance(item.default, (str, bytes)):
        return escape.literal(item.default)
    return names.literal(item.type, item.default)


def _is_text(item: Field) -> bool:
    return isinstance(item.type, Kind) and item.type.is_text


def aliases(names: CppNames, file: File, message: Message) -> list[NamedType]:
    """Return names by which code reaches nested types: ``Outer::Inner``."""
    used_names = {member(f) for f in message.fields} | set(message.oneofs) | {names.plain(message)}
    used_names |= {f"{f.name}_default" for f in message.fields}
    used_names |= {f"{f.oneof}_{f.name}" for f in message.fields}
    nested: list[NamedType] = []
    for declared in file.nested.get(message.full_name, ()):
        inner = declared.full_name.rpartition(".")[2]
        if type_name(inner) in used_names:
            continue
        reference = (
            EnumRef(declared.full_name)
            if isinstance(declared, Enum)
            else MessageRef(declared.full_name)
        )
        nested.append(NamedType(type_name(inner), names.qualified(reference)))
    return nested
