# SPDX-License-Identifier: Apache-2.0
"""The order in which C++ can define the messages of a file."""

from __future__ import annotations

from wirecost.compile.schema import Field, File, Label, Message, MessageRef, Schema


def defined_in_order(schema: Schema, file: File) -> list[Message]:
    """Messages so that each comes after those it holds inline; else in declared order."""
    ordered: dict[str, Message] = {}
    local = {m.full_name for m in file.messages}

    def visit(message: Message) -> None:
        if message.full_name in ordered:
            return
        for item in message.fields:
            held = inline(schema, message, item)
            if held is not None and held in local:
                visit(schema.message(held))
        ordered[message.full_name] = message

    for message in file.messages:
        visit(message)
    return list(ordered.values())


def inline(schema: Schema, message: Message, item: Field) -> str | None:
    """Full name of the message whose definition a field needs."""
    if not isinstance(item.type, MessageRef) or item.label not in (Label.SINGLE, Label.ARRAY):
        return None
    return None if schema.recursive(message, item) else item.type.name


def cyclic(schema: Schema, message: Message) -> bool:
    """Whether a message can be nested in itself in any way: then depth must be bounded."""
    reached: set[str] = set()
    waiting = [message.full_name]
    while waiting:
        for item in schema.message(waiting.pop()).fields:
            below = item.value.type if item.label is Label.MAP and item.value else item.type
            if isinstance(below, MessageRef) and below.name not in reached:
                reached.add(below.name)
                waiting.append(below.name)
    return message.full_name in reached


def is_plain(schema: Schema, message: Message) -> bool:
    """Whether a holder allocates nothing, so that it can be its own view."""
    for item in message.fields:
        if item.oneof or item.label in (Label.REPEATED, Label.MAP):
            return False
        if isinstance(item.type, MessageRef):
            if schema.recursive(message, item) or not is_plain(
                schema, schema.message(item.type)
            ):
                return False
        elif not isinstance(item.type, MessageRef) and getattr(item.type, "is_text", False):
            return False
    return True
