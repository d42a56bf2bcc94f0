# SPDX-License-Identifier: Apache-2.0
"""The order in which C++ can define the messages of a file."""

from __future__ import annotations

from wirecost.compile.schema import Field, File, Kind, Label, Message, MessageRef, Schema


def defined_in_order(schema: Schema, file: File) -> list[Message]:
    """Messages so that each comes after those it holds: always those it holds inline, others as
    far as no cycle prevents it; else in declared order."""
    local = {m.full_name for m in file.messages}
    ordered: dict[str, Message] = {}
    begun: set[str] = set()

    def visit_inline(message: Message) -> None:
        if message.full_name in ordered:
            return
        for item in message.fields:
            held = inline(schema, message, item)
            if held is not None and held in local:
                visit_inline(schema.message(held))
        ordered[message.full_name] = message

    def visit(message: Message) -> None:
        if message.full_name in begun:
            return
        begun.add(message.full_name)
        for held in _held(message):
            if held in local:
                visit(schema.message(held))
        visit_inline(message)

    for message in file.messages:
        visit(message)
    return list(ordered.values())


def _held(message: Message) -> list[str]:
    """Full names of all messages in the fields of a message."""
    held = [item.value.type if item.value else item.type for item in message.fields]
    return [type_.name for type_ in held if isinstance(type_, MessageRef)]


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
        for name in _held(schema.message(waiting.pop())):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return message.full_name in reached


def is_plain(schema: Schema, message: Message) -> bool:
    """Whether a holder allocates nothing, so that it can be its own view."""
    for item in message.fields:
        if item.oneof or item.label in (Label.REPEATED, Label.MAP):
            return False
        if isinstance(item.type, MessageRef):
            if schema.recursive(message, item) or not is_plain(schema, schema.message(item.type)):
                return False
        elif isinstance(item.type, Kind) and item.type.is_text:
            return False
    return True
