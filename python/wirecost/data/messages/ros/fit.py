# SPDX-License-Identifier: Apache-2.0
"""Makes made-up values such that ROS's types hold them."""

from __future__ import annotations

from typing import Any

from wirecost.data.messages.ros.reader import wrapped
from wirecost.data.messages.shapes import MOST_ELEMENTS, is_list, is_octets
from wirecost.schema.compile.frontends.ros.builtin import FILES
from wirecost.schema.compile.schema import Field, Kind, Label, MessageRef, Schema
from wirecost.system.errors import UserError

TIMES = frozenset(FILES)
"""Some libraries have no negative ones."""


def fit(schema: Schema, type_name: str, message: Any, remaining: int = MOST_ELEMENTS) -> int:
    """Fit numbers to their type's width, texts and lists to their bounds.

    Lists of a fixed length are filled up with their own elements. Returns how many elements lists
    have then; raises UserError where they are more than ``remaining``.
    """
    count = 0
    for field in schema.message(type_name).fields:
        value = getattr(message, field.name)
        if is_list(field):
            count += max(len(value), field.capacity or 0 if field.label is Label.ARRAY else 0)
        if count > remaining:
            raise UserError(
                f"{type_name}.{field.name}: over {MOST_ELEMENTS:,} elements in a synthetic "
                "message; give real ones with --data, or fewer with --elements"
            )
        if is_octets(field):
            setattr(message, field.name, _octets(field, value))
        elif is_list(field):
            _fit_list(field, value)
            if isinstance(field.type, MessageRef):
                for element in value:
                    count += fit(schema, field.type.name, element, remaining - count)
        elif isinstance(field.type, MessageRef):
            count += fit(schema, field.type.name, value, remaining - count)
        elif field.type is Kind.STRING:
            setattr(message, field.name, value[: field.text_capacity])
        else:
            positive = abs(value) if type_name in TIMES else value
            setattr(message, field.name, wrapped(positive, field.type))
    return count


def _octets(field: Field, value: bytes) -> bytes:
    if field.label is Label.ARRAY and field.capacity and value:
        value = value * (field.capacity // len(value) + 1)
    return value[: field.capacity]


def _fit_list(field: Field, held: Any) -> None:
    if field.capacity is not None:
        del held[field.capacity :]
    if field.type is Kind.STRING:
        held[:] = [text[: field.text_capacity] for text in held]
    elif not isinstance(field.type, MessageRef):
        held[:] = [wrapped(number, field.type) for number in held]
    if field.label is Label.ARRAY and held:
        elements = list(held)
        for i in range(len(elements), field.capacity or 0):
            held.append(elements[i % len(elements)])
