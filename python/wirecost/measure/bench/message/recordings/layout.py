# SPDX-License-Identifier: Apache-2.0
"""Comparison of what two schemas say of a message's bytes."""

from __future__ import annotations

from typing import Any

from wirecost.schema.compile.schema import Field, MessageRef, Schema

Layout = list[list[tuple[Any, ...]]]


def layout(schema: Schema, top: str) -> Layout:
    """Return names, numbers and types of all fields within a message.

    It is equal for equal definitions, whatever the message's own name is and in whichever files
    they are.
    """
    places = {top: 0}
    waiting = [top]
    messages: Layout = []
    for name in waiting:  # which grows meanwhile

        def kind(field: Field) -> object:
            if not isinstance(field.type, MessageRef):
                return repr(field.type)
            if field.type.name not in places:
                places[field.type.name] = len(places)
                waiting.append(field.type.name)
            return places[field.type.name]

        def described(field: Field) -> tuple[Any, ...]:
            entry = [described(part) for part in (field.key, field.value) if part is not None]
            bounds = (field.capacity, field.text_capacity)
            return (field.name, field.number, field.label, kind(field), bounds, entry)

        messages.append([described(field) for field in schema.message(name).fields])
    return messages
