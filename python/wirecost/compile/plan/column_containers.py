# SPDX-License-Identifier: Apache-2.0
"""Where lists in columns stand: the messages that hold twins, and those that lead to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirecost.compile.graph import leading_to
from wirecost.compile.plan.columns import Root, Twin
from wirecost.compile.schema import Field, Label, Message, MessageRef, Schema


@dataclass(frozen=True)
class Container:
    """A message type in which twins stand, or that leads to one that has some."""

    message: Message
    edges: tuple[tuple[Field, int], ...]
    """Fields that lead on, each with the index of its container."""
    twins: tuple[tuple[Twin, int], ...]
    """Each with the index of its root."""


def containers(schema: Schema, roots: Sequence[Root]) -> tuple[Container, ...]:
    """All containers of these roots, in the order of the schema."""
    twins: dict[str, list[tuple[Twin, int]]] = {}
    for index, root in enumerate(roots):
        for twin in root.twins:
            twins.setdefault(twin.parent.full_name, []).append((twin, index))
    walked = {m.full_name: [name for _, name in _leads(m)] for m in schema.messages()}
    reached = leading_to(walked, twins)
    messages = [message for message in schema.messages() if message.full_name in reached]
    places = {message.full_name: index for index, message in enumerate(messages)}
    return tuple(
        Container(
            message,
            tuple((item, places[name]) for item, name in _leads(message) if name in reached),
            tuple(twins.get(message.full_name, ())),
        )
        for message in messages
    )


def _leads(message: Message) -> Iterator[tuple[Field, str]]:
    """Fields that hold messages, and which. A map's entries and groups cannot be walked through."""
    for item in message.fields:
        if item.label is not Label.MAP and not item.group and isinstance(item.type, MessageRef):
            yield item, item.type.name
