# SPDX-License-Identifier: Apache-2.0
"""The order in which C++ can define the messages of a file."""

from __future__ import annotations

from collections.abc import Iterator

from wirecost.schema.compile.graph import run
from wirecost.schema.compile.per_schema import per_schema
from wirecost.schema.compile.schema import Field, File, Kind, Label, Message, MessageRef, Schema


def defined_in_order(schema: Schema, file: File) -> list[Message]:
    """Return messages so that each comes after those it holds.

    That is always so of those it holds inline, of others as far as no cycle prevents it; else they
    are in declared order.
    """
    local = {m.full_name for m in file.messages}
    ordered: dict[str, Message] = {}
    begun: set[str] = set()

    def visit_inline(message: Message) -> Iterator[Message]:
        if message.full_name in ordered:
            return
        for item in message.fields:
            held = inline(schema, message, item)
            if held is not None and held in local:
                yield schema.message(held)
        ordered[message.full_name] = message

    def visit(message: Message) -> Iterator[Message]:
        if message.full_name in begun:
            return
        begun.add(message.full_name)
        for held in schema.references[message.full_name]:
            if held in local:
                yield schema.message(held)
        run(visit_inline, message)

    for message in file.messages:
        run(visit, message)
    return list(ordered.values())


def inline(schema: Schema, message: Message, item: Field) -> str | None:
    """Return the full name of the message whose definition a field needs."""
    if not isinstance(item.type, MessageRef) or item.label not in (Label.SINGLE, Label.ARRAY):
        return None
    return None if schema.recursive(message, item) else item.type.name


def is_plain(schema: Schema, message: Message) -> bool:
    """Return whether a holder allocates nothing, so that it can be its own view."""
    return message.full_name in _plain(schema)


@per_schema
def _plain(schema: Schema) -> frozenset[str]:
    plain: set[str] = set()
    for message in schema.inside_out:
        if all(_is_plain(schema, message, item, plain) for item in message.fields):
            plain.add(message.full_name)
    return frozenset(plain)


def _is_plain(schema: Schema, message: Message, item: Field, plain: set[str]) -> bool:
    if item.oneof or item.label in (Label.REPEATED, Label.MAP):
        return False
    if isinstance(item.type, MessageRef):
        return item.type.name in plain and not schema.recursive(message, item)
    return not (isinstance(item.type, Kind) and item.type.is_text)
