# SPDX-License-Identifier: Apache-2.0
"""What a class's table says, made ready to walk.

A table is ``(full name, form, weight, fields)``; a field is ``(name, kind, shape, type, more)``, of
which what is empty at the end is left out. ``type`` is the name of a class in the module.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from typing import Any

IMPLICIT, LACKING, ALWAYS, REPEATED, ARRAY, MAP = "", "?", "!", "*", "#", "map"
"""Shapes: a scalar that is left out if it has its default; a value that may be None; one that is
always there; any number of values; a fixed number; a map."""

CODES = {
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
"""Kinds whose sequences are instances of ``array.array``."""


class Field:
    """A field and, for a map, the kind of its keys."""

    __slots__ = (
        "attribute",
        "capacity",
        "closed",
        "cls",
        "default",
        "form",
        "json_name",
        "key",
        "kind",
        "longest",
        "name",
        "names",
        "numbers",
        "oneof",
        "required",
        "shape",
    )

    def __init__(
        self,
        scope: Any,
        name: str,
        kind: str,
        shape: str = IMPLICIT,
        type_name: str = "",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        found = more or {}
        self.name, self.kind, self.shape = name, kind, shape
        self.attribute: str = found.get("attribute", name)
        self.json_name: str = found.get("json", lower_camel(name))
        self.default: Any = found.get("default", _ZEROS.get(kind, 0))
        self.oneof: str = found.get("oneof", "")
        self.key: str = found.get("key", "")
        self.capacity: int | None = found.get("capacity")
        self.longest: int | None = found.get("longest")
        self.required: bool = found.get("required", False)
        self.closed: bool = found.get("closed", False)
        self.cls: Any = scope.get(type_name)
        self.form: str = self.cls._json[1] if kind == "message" else ""
        self.names: dict[int, str] = {}
        self.numbers: dict[str, int] = {}
        if kind in ("enum", "null"):
            self.names, self.numbers = _values_of(self.cls, found.get("renamed", {}))

    @property
    def takes_null(self) -> bool:
        """Whether JSON's null is a value, where others are absent."""
        return self.kind == "null" or self.form == "value"


_enums: dict[Any, tuple[dict[int, str], dict[str, int]]] = {}


def _values_of(cls: Any, renamed: Mapping[str, str]) -> tuple[dict[int, str], dict[str, int]]:
    """Return an enum's names by number, of several the first, and its numbers by name."""
    if cls not in _enums:
        numbers = {renamed.get(name, name): int(value) for name, value in cls.__members__.items()}
        names = {number: name for name, number in reversed(numbers.items())}
        _enums[cls] = names, numbers
    return _enums[cls]


_ZEROS: dict[str, Any] = {"string": "", "bytes": b"", "bool": False}


class Table:
    """Fields in declared order, and by their names in JSON and in the schema."""

    __slots__ = ("by_name", "fields", "form", "full_name", "required", "weight")

    def __init__(self, cls: Any) -> None:
        self.full_name, self.form, self.weight, fields = cls._json
        scope = vars(sys.modules[cls.__module__])
        self.fields = [Field(scope, *field) for field in fields]
        self.by_name = {field.name: field for field in self.fields}
        self.by_name.update((field.json_name, field) for field in self.fields)
        self.required = frozenset(field.name for field in self.fields if field.required)


_tables: dict[Any, Table] = {}


def table_of(cls: Any) -> Table:
    """Made when it is asked for the first time: classes of other modules may be in it."""
    found = _tables.get(cls)
    if found is None:
        found = _tables[cls] = Table(cls)
    return found


def class_of(type_url: str) -> Any:
    """Return the class of the messages in an ``Any``."""
    domain, slash, name = type_url.rpartition("/")
    if not slash or not domain or not name:
        raise ValueError(f"`{type_url[:200]}` is no URL of a type, such as example.com/a.Message")
    known = importlib.import_module(".types", __package__).MESSAGES
    if name not in known:
        raise ValueError(f"{name[:200]} is no message of the schema")
    module, cls = known[name]
    root = __package__.rpartition(".")[0]
    return getattr(importlib.import_module(module, root), cls)


def lower_camel(text: str) -> str:
    return re.sub("_+(.?)", lambda found: found[1].upper(), text)
