# SPDX-License-Identifier: Apache-2.0
"""What a topic's JSON consists of: by its JSON Schema, and where that is silent by its messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from wirecost.data.columns.parts import BINARY, DEEPEST, MOST_PARTS, STRUCTURE, TEXT
from wirecost.system.errors import UserError
from wirecost.system.foreign import is_unicode

LIST, RAW = "+L", "raw"
"""Forms of a list, and of what becomes text as JSON: values of several types, or of none."""
MOST_LEARNT = 16 << 20
"""Bytes of a message from which on its fields are not looked for."""
_FORMS = {
    "b": {"bool"},
    "l": {"whole", "negative"},
    "L": {"whole", "large"},
    "g": {"whole", "negative", "large", "real"},
    TEXT: {"text"},
    BINARY: {"base64"},
    "tsn:": {"time"},
    "tDn": {"duration"},
    STRUCTURE: {"object"},
    LIST: {"list"},
}
"""Kinds of values that a form can have; the first form that has all of them is taken."""
_TIME = {"sec", "nsec"}


@dataclass
class Shape:
    """Values of a place. ``is_known``: a schema says which; ``is_settled``: also of those inside.

    ``kinds``: of values; ``members``: of objects; ``element``: of lists.
    """

    kinds: set[str] = field(default_factory=set)
    members: dict[str, Shape] = field(default_factory=dict)
    element: Shape | None = None
    is_known: bool = False
    is_settled: bool = False

    @property
    def form(self) -> str:
        """The column's format in Arrow, or ``LIST`` or ``RAW``."""
        forms = (form for form, held in _FORMS.items() if self.kinds and self.kinds <= held)
        return next(forms, RAW)

    def settle(self) -> None:
        """Note which parts messages can add nothing to."""
        inside = [*self.members.values(), *([self.element] if self.element else [])]
        for each in inside:
            each.settle()
        self.is_settled = self.is_known and all(each.is_settled for each in inside)


@dataclass(frozen=True)
class JsonType:
    """A topic's type; ``type``: its name."""

    type: str
    shape: Shape


class JsonTypes:
    """Finds what JSON consists of; ``source``: where it is from, for people."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._count = 0

    def of_schema(self, definition: bytes) -> Shape | None:
        """Return what a JSON Schema says; None where it is none. Raises UserError."""
        try:
            schema = json.loads(definition)
        except (ValueError, RecursionError):
            return None
        return self._of(schema, schema, ("#",)) if isinstance(schema, dict) else None

    def _of(self, schema: Any, whole: Any, outer: tuple[str, ...], depth: int = 0) -> Shape:
        made = self._new()
        if not isinstance(schema, Mapping):
            return made
        reference = schema.get("$ref")
        if reference in outer or depth > DEEPEST:  # a value in itself
            return Shape({"object", "text"}, is_known=True)
        if isinstance(reference, str):
            return self._of(_pointed(whole, reference), whole, (*outer, reference), depth + 1)
        for each in _items(schema, "allOf", "anyOf", "oneOf"):
            merge(made, self._of(each, whole, outer, depth + 1))
        for value in _items(schema, "enum") or [schema.get("const")]:
            with suppress(RecursionError):  # what lies too deep has no row
                self._learn(made, value, depth)
        types = _items(schema, "type") or [schema.get("type")]
        members = schema.get("properties")
        members = members if isinstance(members, Mapping) else {}
        if set(members) == _TIME:
            is_duration = "duration" in str(schema.get("title")).lower()
            made.kinds.add("duration" if is_duration else "time")
        elif members or "object" in types:
            made.kinds.add("object")
            for name in filter(_can_be_column, members):
                inside = self._of(members[name], whole, outer, depth + 1)
                made.members[name] = merge(made.members.get(name), inside)
        if "array" in types or "items" in schema:
            made.kinds.add("list")
            for each in _items(schema, "prefixItems", "items") or [schema.get("items")]:
                made.element = merge(made.element, self._of(each, whole, outer, depth + 1))
        made.kinds |= _scalars(schema, types)
        is_open = made.kinds == {"object"} and not made.members
        is_closed = schema.get("additionalProperties") is False
        made.is_known = bool(made.kinds) and (is_closed or not is_open)
        return made

    def learn(self, shape: Shape, messages: Iterable[bytes | memoryview]) -> None:
        """Add what messages have where a shape says nothing. Raises UserError."""
        for data in messages:
            if len(data) > MOST_LEARNT:
                continue
            # What is no message, or lies too deep, has no row.
            with suppress(ValueError, RecursionError):
                value = _decoded(data)
                if isinstance(value, dict):
                    self._learn(shape, value)

    def _learn(self, shape: Shape, value: Any, depth: int = 0) -> None:
        if shape.is_settled or value is None:
            return
        if depth > DEEPEST:
            raise RecursionError
        if not shape.is_known:
            shape.kinds.add(_kind(value))
        if isinstance(value, dict):
            for name, held in value.items():
                if name not in shape.members:
                    if shape.is_known or not _can_be_column(name):
                        continue
                    shape.members[name] = self._new()
                self._learn(shape.members[name], held, depth + 1)
        elif isinstance(value, list):
            if shape.element is None:
                if shape.is_known:
                    return
                shape.element = self._new()
            if set(map(type, value)) == {float}:
                value = value[:1]
            for held in value:
                self._learn(shape.element, held, depth + 1)

    def _new(self) -> Shape:
        self._count += 1
        if self._count > MOST_PARTS:
            raise UserError(
                f"{self._source}: its JSON has more than {MOST_PARTS:,} fields in fields, the most "
                "that are read as columns; choose another topic"
            )
        return Shape()


def _decoded(data: bytes | memoryview) -> Any:
    """Return a message's value. Raises ValueError, RecursionError."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError):  # it knows no NaN, and nothing but UTF-8
        return json.loads(str(data, "utf-8", "replace"))


def merge(one: Shape | None, other: Shape) -> Shape:
    """Add to a shape what another has, and return it."""
    if one is None:
        return other
    one.is_known = one.is_known and other.is_known
    one.kinds |= other.kinds
    for name, member in other.members.items():
        one.members[name] = merge(one.members.get(name), member)
    if other.element is not None:
        one.element = merge(one.element, other.element)
    return one


def _items(schema: Mapping[str, Any], *keys: str) -> list[Any]:
    """Return the elements of those members that are lists."""
    return [each for key in keys if isinstance(schema.get(key), list) for each in schema[key]]


def _scalars(schema: Mapping[str, Any], types: list[Any]) -> set[str]:
    """Return the kinds of a schema's types that hold no others."""
    least = schema.get("minimum")
    is_natural = isinstance(least, (int, float)) and least >= 0
    kinds = {
        "boolean": {"bool"},
        "number": {"real"},
        "integer": {"whole", "large" if is_natural else "negative"},
        "string": {"base64" if schema.get("contentEncoding") == "base64" else "text"},
    }
    return set().union(*(held for name, held in kinds.items() if name in types))


def _pointed(whole: Any, reference: str) -> Any:
    """Return what a reference within a schema means; None where there is no such thing."""
    file, _, pointer = reference.partition("#")
    anchor, *inner = pointer.split("/")
    place = None if file or anchor else whole
    for step in inner:
        key = step.replace("~1", "/").replace("~0", "~")
        place = place.get(key) if isinstance(place, Mapping) else None
    return place


def _can_be_column(name: object) -> bool:
    """Return whether a column of Arrow can have the name: a text without NUL."""
    return isinstance(name, str) and "\0" not in name and is_unicode(name)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        bounds = ((-1 << 63, "real"), (0, "negative"), (1 << 63, "whole"), (1 << 64, "large"))
        return next((kind for bound, kind in bounds if value < bound), "real")
    return {float: "real", str: "text", dict: "object", list: "list"}[type(value)]
