# SPDX-License-Identifier: Apache-2.0
"""Zserio's classes of a message, and Google's object of what one of them holds."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef, Schema

NAME = "zserio"
PACKAGE = "in_zserio"
"""Package of the generated classes."""


def numbered(schema: Schema) -> dict[str, str]:
    """Return the classes' names by those of the messages, in their order."""
    return {message.full_name: f"T{i}" for i, message in enumerate(schema.messages())}


def entry_names(schema: Schema) -> dict[tuple[str, int], str]:
    """Return the names of the classes of maps' entries, by message and place of the field."""
    return {
        (message.full_name, place): f"{name}E{place}"
        for message, name in zip(schema.messages(), numbered(schema).values(), strict=True)
        for place, field in enumerate(message.fields)
        if field.label is Label.MAP
    }


def classes(schema: Schema) -> list[Any]:
    """Return the classes: those of the messages, then those of the entries."""
    made = importlib.import_module(f"{PACKAGE}.api")
    return [getattr(made, n) for n in (*numbered(schema).values(), *entry_names(schema).values())]


def again(about: Subject, held: Any) -> bytes:
    """Return the message of an object on the subject's wire, by nothing of Zserio."""
    message = about.message_class()
    _fill(about.schema, about.schema.message(about.type), held, message)
    return about.write(message)


def _fill(schema: Schema, message: Message, held: Any, to: Any) -> None:
    for place, field in enumerate(message.fields):
        value = getattr(held, f"f{place}")
        if field.label is Label.MAP and field.value is not None:
            _fill_map(schema, field.value, value, getattr(to, field.name))
        elif is_list(field) and not is_octets(field):
            elements = getattr(to, field.name)
            if isinstance(field.type, MessageRef):
                for each in value:
                    _fill(schema, schema.message(field.type), each, elements.add())
            else:
                elements.extend(map(partial(_plain, field), value))
        elif value is None:
            continue
        elif isinstance(field.type, MessageRef):
            inner = getattr(to, field.name)
            inner.SetInParent()
            _fill(schema, schema.message(field.type), value, inner)
        else:
            setattr(to, field.name, _plain(field, value))


def _fill_map(schema: Schema, field: Field, entries: Any, to: Any) -> None:
    for entry in entries:
        if isinstance(field.type, MessageRef):
            _fill(schema, schema.message(field.type), entry.v, to[entry.k])
        else:
            to[entry.k] = _plain(field, entry.v)


def _plain(field: Field, value: Any) -> Any:
    return bytes(value) if field.type is Kind.BYTES or is_octets(field) else value
