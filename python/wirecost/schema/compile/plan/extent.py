# SPDX-License-Identifier: Apache-2.0
"""Least size of a message, and its limits.

A short schema can describe a message that no memory holds: twenty messages that each hold two of
the next are a million. Where fields lie in one another, in memory or on a wire, that is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirecost.schema.compile.schema import (
    CompileError,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Schema,
)

DEEPEST = 100
"""Messages one inside the other: decoders go no deeper."""
DEEPEST_STRUCT = 500
"""Structs one inside the other, beyond which C++ compilers give up."""
MOST_MESSAGES = 1 << 20
"""Messages inside one, without those that are repeated."""
MOST_BYTES = (1 << 31) - 1
"""Greatest size of those messages and arrays of fixed length: no wire has larger messages."""
_TEXT = 4
"""Bytes of a text on the wires that write its length in four."""

Holds = Callable[[Field], bool]
"""Function that returns whether a message lies within the one whose field it is."""


@dataclass(frozen=True)
class Extent:
    """Extent of a message and of what lies in it."""

    depth: int
    messages: int
    size: int
    """Bytes, about."""


def always_there(item: Field) -> bool:
    """Return whether a field is always there in the holders of all languages."""
    return not item.oneof and not item.is_optional


def on_wire(item: Field) -> bool:
    """Return whether a field is there on the wires that write every field."""
    return not item.oneof


def in_struct(_: Field) -> bool:
    """Return whether a field is there in C++, where an absent message takes the room of one."""
    return True


def refuse_too_much(schema: Schema, holds: Holds, where: str, remedy: str, deepest: int) -> None:
    """Raise CompileError for the first message that is beyond the limits.

    ``where``: what the limits are for, for people.
    """
    extents: dict[str, Extent] = {}
    for message in schema.inside_out:
        extent = _extent(schema, message, holds, extents)
        extents[message.full_name] = extent
        for has, most, what in (
            (extent.depth, deepest, "messages, one inside the other"),
            (extent.messages, MOST_MESSAGES, "messages"),
            (extent.size, MOST_BYTES, "bytes"),
        ):
            if has > most:
                raise CompileError(
                    message.origin,
                    f"{message.full_name} holds more than {most} {what}, {where}",
                    remedy,
                )


def _extent(schema: Schema, message: Message, holds: Holds, extents: dict[str, Extent]) -> Extent:
    depth, messages, size = 1, 1, 0
    for item in message.fields:
        if item.label not in (Label.SINGLE, Label.ARRAY):
            continue
        many = item.capacity or 0 if item.label is Label.ARRAY else 1
        if isinstance(item.type, MessageRef):
            if schema.recursive(message, item) or not holds(item):
                continue
            inner = extents[item.type.name]
            depth = max(depth, 1 + inner.depth)
            messages += many * inner.messages
            size += many * inner.size
        else:
            width = item.type.width if isinstance(item.type, Kind) else None
            size += many * (width or _TEXT)
    return Extent(depth, messages, size)
