# SPDX-License-Identifier: Apache-2.0
"""Bounds of ROS 2 fields as conditions that a message must not meet when it is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirecost.schema.compile.emit.cpp.names import member
from wirecost.schema.compile.graph import leading_to
from wirecost.schema.compile.per_schema import per_schema
from wirecost.schema.compile.schema import Field, Label, Message, MessageRef, Schema


@dataclass(frozen=True)
class Excess:
    """C++ condition for too much in a field."""

    condition: str
    over: str | None = None
    """Expression of the list whose elements the condition is for."""


def bounded(schema: Schema, message: Message) -> bool:
    """Return whether a message, or one in it, has a field with a bound."""
    return message.full_name in _bounded(schema)


@per_schema
def _bounded(schema: Schema) -> frozenset[str]:
    edges = {
        m.full_name: [
            f.type.name
            for f in m.fields
            if isinstance(f.type, MessageRef) and f.label is not Label.MAP
        ]
        for m in schema.messages()
    }
    bounds = {
        m.full_name
        for m in schema.messages()
        if any(f.text_capacity is not None or _most(f) is not None for f in m.fields)
    }
    return leading_to(edges, bounds)


def excesses(schema: Schema, message: Message, access: str = "m.") -> list[Excess]:
    """Return the conditions under which a message does not keep to its bounds."""
    return list(_excesses(schema, message, access))


def _excesses(schema: Schema, message: Message, access: str) -> Iterator[Excess]:
    for item in message.fields:
        name = f"{access}{member(item)}"
        if (most := _most(item)) is not None:
            yield Excess(f"{name}.size() > {most}")
        each = item.label is not Label.SINGLE
        value = "element" if each else name
        condition = ""
        if item.text_capacity is not None:
            condition = f"{value}.size() > {item.text_capacity}"
        elif _holds_bounded(schema, item):
            condition = f"!within_bounds({value})"
        if condition:
            yield Excess(condition, name if each else None)


def _holds_bounded(schema: Schema, item: Field) -> bool:
    return (
        isinstance(item.type, MessageRef)
        and item.label is not Label.MAP
        and bounded(schema, schema.message(item.type))
    )


def _most(item: Field) -> int | None:
    """Return elements that a sequence may have."""
    return item.capacity if item.label is Label.REPEATED else None
