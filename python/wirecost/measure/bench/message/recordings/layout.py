# SPDX-License-Identifier: Apache-2.0
"""Whether two schemas say the same of a message's bytes."""

from __future__ import annotations

from typing import Any

from wirecost.schema.compile.schema import Field, MessageRef, Schema

Layout = list[list[tuple[Any, ...]]]


def layout(schema: Schema, top: str) -> Layout:
    """Names, numbers and types of all fields that a message has within it, whatever its own name
    is and in whichever files they are; equal for equal definitions."""
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
