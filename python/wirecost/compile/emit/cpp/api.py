# SPDX-License-Identifier: Apache-2.0
"""Messages as classes with Protobuf's interface: what the template ``api.hpp.j2`` prints."""

from __future__ import annotations

from types import SimpleNamespace

from wirecost.compile.emit.cpp.bounds import bounded, excesses
from wirecost.compile.emit.cpp.holders import aliases, initial_value
from wirecost.compile.emit.cpp.names import Names, identifier, member, type_name
from wirecost.compile.emit.cpp.order import defined_in_order
from wirecost.compile.graph import leading_to
from wirecost.compile.per_schema import per_schema
from wirecost.compile.plan.protobuf import requiring
from wirecost.compile.schema import (
    Enum,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)


def enums(schema: Schema, names: Names, file: File) -> list[SimpleNamespace]:
    """Unscoped enums, whose values carry the name of an enum that is nested."""
    return [
        SimpleNamespace(
            name=names.plain(enum),
            comment=enum.comment,
            values=_values(schema, names, enum),
            numbers=list(dict.fromkeys(v.number for v in enum.values)),
        )
        for enum in file.enums
    ]


def messages(schema: Schema, names: Names, file: File) -> list[SimpleNamespace]:
    return [_message(schema, names, file, m) for m in defined_in_order(schema, file)]


def _values(schema: Schema, names: Names, enum: Enum) -> list[SimpleNamespace]:
    outer = f"{names.plain(enum)}_" if _owner(schema, enum) is not None else ""
    return [
        SimpleNamespace(
            name=identifier(v.name), full=type_name(f"{outer}{v.name}"), number=v.number
        )
        for v in enum.values
    ]


def _owner(schema: Schema, enum: Enum) -> str | None:
    outer = enum.full_name.rpartition(".")[0]
    return outer if outer in schema.references else None


def _message(schema: Schema, names: Names, file: File, message: Message) -> SimpleNamespace:
    nested = [e for e in file.nested.get(message.full_name, ()) if isinstance(e, Enum)]
    return SimpleNamespace(
        name=names.plain(message),
        comment=message.comment,
        bounded=bounded(schema, message),
        excesses=excesses(schema, message, "m.wirecost_fields()."),
        aliases=aliases(names, file, message),
        enumerators=[
            SimpleNamespace(type=names.plain(enum), name=value.name, full=value.full)
            for enum in nested
            for value in _values(schema, names, enum)
        ],
        fields=[
            SimpleNamespace(
                name=member(f), type=_type(names, message, f), initial=_initial(names, f)
            )
            for f in message.fields
            if f.oneof is None
        ],
        oneofs=[
            SimpleNamespace(
                name=identifier(oneof),
                camel=_camel(oneof),
                members=[
                    SimpleNamespace(type=type_, number=f.number, camel=_camel(f.name))
                    for f, type_ in names.alternatives(message, oneof)
                ],
            )
            for oneof in message.oneofs
        ],
        accessors=[_accessor(schema, names, message, f) for f in message.fields],
    )


def _type(names: Names, message: Message, item: Field) -> str:
    return names.holder(message, item, optional=_can_be_absent(item))


def _initial(names: Names, item: Field) -> str:
    """Initial value of a field that always has one, where that is not zero or empty."""
    given = "" if _can_be_absent(item) else initial_value(names, item)
    return f"std::string({given})" if given and _kind(item) == "text" else given


def _can_be_absent(item: Field) -> bool:
    """Here required fields too: code asks ``has_x`` of them."""
    return (
        item.label is Label.SINGLE and item.oneof is None and item.presence is not Presence.IMPLICIT
    )


def _accessor(schema: Schema, names: Names, message: Message, item: Field) -> SimpleNamespace:
    if item.label is Label.MAP:
        mode = "map"
    elif item.label is Label.ARRAY:
        mode = "array"
    elif item.label is Label.REPEATED:
        mode = "repeated"
    elif item.oneof is not None:
        mode = "oneof"
    else:
        mode = "optional" if _can_be_absent(item) else "plain"
    held = item.value if item.label is Label.MAP and item.value is not None else item
    index = None
    if item.oneof is not None:
        index = message.choices[item.name]
    return SimpleNamespace(
        name=member(item),
        comment=item.comment,
        mode=mode,
        kind=_kind(held),
        type=_type(names, message, item) if item.oneof is None else "",
        value=names.value(held.type),
        element=names.element(held.type),
        default="" if isinstance(held.type, MessageRef) else names.literal(held.type, held.default),
        initial=_initial(names, item) if item.oneof is None else "",
        oneof=identifier(item.oneof) if item.oneof else None,
        index=index,
        boxed=schema.recursive(message, item),
        required=item.presence is Presence.REQUIRED,
        checked=isinstance(held.type, MessageRef) and _requires(schema, held.type.name),
    )


def _kind(item: Field) -> str:
    if isinstance(item.type, MessageRef):
        return "message"
    return "text" if isinstance(item.type, Kind) and item.type.is_text else "scalar"


def _requires(schema: Schema, name: str) -> bool:
    """Whether a message or one in it has required fields."""
    return name in _requiring(schema)


@per_schema
def _requiring(schema: Schema) -> frozenset[str]:
    return leading_to(schema.references, requiring(schema))


def _camel(name: str) -> str:
    camel = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return f"_{camel}" if camel[:1].isdigit() else camel
