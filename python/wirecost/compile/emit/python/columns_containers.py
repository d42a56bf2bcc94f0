# SPDX-License-Identifier: Apache-2.0
"""Which messages lead to the columns of a root, and by which of their fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wirecost.compile.graph import leading_to
from wirecost.compile.plan.columns import Root
from wirecost.compile.schema import Field, Label, MessageRef, Schema


@dataclass
class ContainerLine:
    """A message as the template prints it."""

    name: str
    columns_fields: dict[int, str] = field(default_factory=dict)
    leads: dict[int, tuple[str, str, bool]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        parts = [repr(self.columns_fields)] if self.columns_fields or self.leads else []
        if self.leads:
            parts.append(repr(self.leads))
        return f'"{self.name}": _Container({", ".join(parts)}),'.replace("'", '"')


def containers(schema: Schema, root: Root) -> Iterator[ContainerLine]:
    """Every message from which the root's columns can be reached, by full name."""
    found: dict[str, ContainerLine] = {}
    for columns in root.columns_fields:
        name = columns.parent.full_name
        line = found.setdefault(name, ContainerLine(name))
        line.columns_fields[columns.field.number] = columns.field.name
    reached = leading_to(schema.references, found)
    for message in schema.messages():
        if message.full_name in reached:
            line = found.setdefault(message.full_name, ContainerLine(message.full_name))
            for item in message.fields:
                if _inner(item) in reached:
                    _lead(found, line, item)
    yield from (found[name] for name in sorted(found))


def _inner(item: Field) -> str:
    """The message that a field, or the values of a map, hold."""
    held = item.value if item.label is Label.MAP and item.value else item
    return held.type.name if isinstance(held.type, MessageRef) else ""


def _lead(found: dict[str, ContainerLine], line: ContainerLine, item: Field) -> None:
    inner = _inner(item)
    if item.label is Label.MAP:
        entry = f"{line.name}.{item.name}"
        found[entry] = ContainerLine(entry, leads={2: ("value", inner, False)})
        inner = entry
    line.leads[item.number] = (item.name, inner, item.label is not Label.SINGLE)
