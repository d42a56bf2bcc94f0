# SPDX-License-Identifier: Apache-2.0
"""Data members of views, which the codecs of all wires declare alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from wirecost.schema.compile.emit.cpp.names import NamedType, identifier, member
from wirecost.schema.compile.schema import Field, Message

AnyValue = TypeVar("AnyValue")


@dataclass(frozen=True)
class MapEntry(Generic[AnyValue]):
    """View of a map's entry; ``key`` and ``value`` are as the wire's codec has values."""

    name: str
    key: AnyValue
    value: AnyValue


def view_fields(
    message: Message, type_of: Callable[[Field], str], alternative: Callable[[Field], str]
) -> list[NamedType]:
    """Return the members in declared order; ``alternative``: the type of a oneof's member."""
    fields: dict[str, NamedType] = {}
    for item in message.fields:
        if item.oneof is None:
            fields[item.name] = NamedType(member(item), type_of(item))
        elif item.oneof not in fields:
            types = ", ".join(map(alternative, message.members[item.oneof]))
            type_ = f"std::variant<std::monostate, {types}>"
            fields[item.oneof] = NamedType(identifier(item.oneof), type_)
    return list(fields.values())
