# SPDX-License-Identifier: Apache-2.0
"""Data members of views, which the codecs of all wires declare alike."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from wirecost.schema.compile.emit.cpp.names import identifier, member
from wirecost.schema.compile.schema import Field, Message


def view_fields(
    message: Message, type_of: Callable[[Field], str], alternative: Callable[[Field], str]
) -> list[SimpleNamespace]:
    """In declared order, each with type and name; ``alternative``: the type of a oneof's member."""
    fields: dict[str, SimpleNamespace] = {}
    for item in message.fields:
        if item.oneof is None:
            fields[item.name] = SimpleNamespace(type=type_of(item), name=member(item))
        elif item.oneof not in fields:
            types = ", ".join(map(alternative, message.members[item.oneof]))
            type_ = f"std::variant<std::monostate, {types}>"
            fields[item.oneof] = SimpleNamespace(type=type_, name=identifier(item.oneof))
    return list(fields.values())
