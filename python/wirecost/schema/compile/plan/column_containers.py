# SPDX-License-Identifier: Apache-2.0
"""Containers of lists in columns: messages with columns fields, and those that lead to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirecost.schema.compile.graph import leading_to
from wirecost.schema.compile.plan.columns import ColumnsField, Root
from wirecost.schema.compile.schema import Field, Label, Message, MessageRef, Schema


@dataclass(frozen=True)
class Container:
    """A message type in which columns fields stand, or that leads to one that has some."""

    message: Message
    edges: tuple[tuple[Field, int], ...]
    """Fields that lead on, each with the index of its container."""
    columns_fields: tuple[tuple[ColumnsField, int], ...]
    """Each with the index of its root."""


def containers(schema: Schema, roots: Sequence[Root]) -> tuple[Container, ...]:
    """Return all containers of these roots, in the order of the schema."""
    columns_fields: dict[str, list[tuple[ColumnsField, int]]] = {}
    for index, root in enumerate(roots):
        for columns in root.columns_fields:
            columns_fields.setdefault(columns.parent.full_name, []).append((columns, index))
    walked = {m.full_name: [name for _, name in _leads(m)] for m in schema.messages()}
    reached = leading_to(walked, columns_fields)
    messages = [message for message in schema.messages() if message.full_name in reached]
    places = {message.full_name: index for index, message in enumerate(messages)}
    return tuple(
        Container(
            message,
            tuple((item, places[name]) for item, name in _leads(message) if name in reached),
            tuple(columns_fields.get(message.full_name, ())),
        )
        for message in messages
    )


def _leads(message: Message) -> Iterator[tuple[Field, str]]:
    """Yield fields that hold messages, and which.

    A map's entries and groups cannot be walked through.
    """
    for item in message.fields:
        if item.label is not Label.MAP and not item.group and isinstance(item.type, MessageRef):
            yield item, item.type.name
