# SPDX-License-Identifier: Apache-2.0
"""Lists of an OSI message that can stand in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirecost.schema.compile.plan import columns
from wirecost.schema.compile.schema import CompileError, Field, Label, Message, MessageRef, Schema
from wirecost.system.errors import UserError

ALL = "all"
FRAMES = ("SensorView", "DetectionData", "SensorData", "SensorDataSeries")
"""Ends of the names of types that come once a sensor: columns are for the lists in them."""


def chosen(schema: Schema, type_name: str, paths: Sequence[str]) -> list[str]:
    """Return the element types of the lists with these paths, or of ``all``, of a message type.

    A path is dotted: ``global_ground_truth.moving_object``. Raises UserError on one that is not.
    """
    if ALL in paths:
        return list(dict.fromkeys(_outermost(schema, schema.message(type_name), (type_name,))))
    return list(dict.fromkeys(_at(schema, type_name, path) for path in paths))


def every(schema: Schema, type_name: str) -> list[str]:
    """Return the element types of all lists anywhere in a message type, in whatever they stand."""
    elements: dict[str, None] = {}
    reached = {type_name}
    waiting = [type_name]
    while waiting:
        for item in schema.message(waiting.pop()).fields:
            if isinstance(item.type, MessageRef):
                if item.label is Label.REPEATED and _can(schema, item.type.name):
                    elements[item.type.name] = None
                if item.type.name not in reached:
                    reached.add(item.type.name)
                    waiting.append(item.type.name)
    return list(elements)


def _outermost(schema: Schema, message: Message, around: tuple[str, ...]) -> Iterator[str]:
    for item in message.fields:
        if not isinstance(item.type, MessageRef) or item.label is Label.MAP:
            continue
        name = item.type.name
        if item.label is Label.REPEATED and not name.endswith(FRAMES) and _can(schema, name):
            yield name
        elif name not in around:
            yield from _outermost(schema, schema.message(name), (*around, name))


def _at(schema: Schema, type_name: str, path: str) -> str:
    message = schema.message(type_name)
    item: Field | None = None
    for part in path.split("."):
        item = next((f for f in message.fields if f.name == part), None)
        if item is None or not isinstance(item.type, MessageRef):
            lists = [f.name for f in message.fields if isinstance(f.type, MessageRef)]
            raise UserError(
                f"--columns {path}: {message.full_name} has no message field {part}; it has "
                f"{', '.join(lists[:8])}{' …' if len(lists) > 8 else ''}"
            )
        message = schema.message(item.type)
    if item is None or item.label is not Label.REPEATED:
        raise UserError(f"--columns {path}: not a list; name a repeated field")
    return message.full_name


def _can(schema: Schema, name: str) -> bool:
    try:
        columns.plan(schema, [name])
    except CompileError:
        return False
    return True
