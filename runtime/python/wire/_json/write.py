# SPDX-License-Identifier: Apache-2.0
"""Messages as JSON."""

from __future__ import annotations

import json
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping
from operator import index
from struct import Struct
from struct import error as StructError  # noqa: N812
from typing import Any, NamedTuple

from .._wirecost import WireError
from .faults import FAULTS, within
from .scalars import RANGES, real_of, shown
from .table import ALWAYS, ARRAY, IMPLICIT, LACKING, MAP, Field, Table, class_of, table_of
from .well_known import duration_text, paths_text, timestamp_text

_DEEPEST_ANY = 16
"""How deep an ``Any`` may lie in others: each may take as much memory as a decoder allows."""

_REALS = {"float32": Struct("<f").pack, "float64": Struct("<d").pack}


class _How(NamedTuple):
    proto_names: bool
    defaults: bool
    anys: int = 0


def write(message: object, proto_names: bool, defaults: bool, indent: int | None) -> str:
    """Write a message as JSON. Raises WireError."""
    try:
        tree = _message(message, _How(proto_names, defaults))
        separators = (",", ":") if indent is None else (",", ": ")
        text = json.dumps(
            tree, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )
        if not text.isascii():
            text.encode()
    except UnicodeEncodeError as fault:
        raise _error(message, "a string is not Unicode") from fault
    except RecursionError as fault:
        raise _error(message, "messages are nested without end") from fault
    except FAULTS as fault:
        raise _error(message, str(fault)) from fault
    return text


def _error(message: object, reason: str) -> WireError:
    return WireError(f"{type(message).__name__} cannot be JSON: {reason}")


def _message(message: Any, how: _How) -> Any:
    table = table_of(type(message))
    if table.form:
        return _FORMS[table.form](message, how)
    return _object(message, table, how)


def _object(message: Any, table: Table, how: _How) -> dict[str, Any]:
    found: dict[str, Any] = {}
    chosen: set[str] = set()
    for field in table.fields:
        try:
            value = getattr(message, field.attribute)
            if not _is_written(field, value, how):
                continue
            if field.oneof:
                if field.oneof in chosen:
                    raise ValueError(f"more than one member of the oneof {field.oneof} is set")
                chosen.add(field.oneof)
            found[field.name if how.proto_names else field.json_name] = _values(field, value, how)
        except FAULTS as fault:
            raise within(field.name, fault) from None
    return found


def _is_written(field: Field, value: Any, how: _How) -> bool:
    if field.shape == LACKING:
        return value is not None
    if field.shape == ALWAYS or how.defaults:
        return True
    if field.shape == IMPLICIT:
        if field.kind in _REALS:
            return _bits(field, value) != _bits(field, field.default)
        return bool(value != field.default)
    return len(value) > 0


def _bits(field: Field, value: Any) -> bytes:
    """Return what tells -0.0 from 0.0 and finds NaN equal; nothing for what is no number."""
    try:
        return _REALS[field.kind](value)
    except (StructError, OverflowError):
        return b""


def _values(field: Field, value: Any, how: _How) -> Any:
    if field.shape == MAP:
        return _map(field, value, how)
    if field.shape in (IMPLICIT, LACKING, ALWAYS):
        return _one(field, value, how)
    if field.capacity is not None and (
        len(value) > field.capacity or (field.shape == ARRAY and len(value) < field.capacity)
    ):
        raise ValueError(f"it has {len(value)} elements; it takes {field.capacity}")
    return _list(field, value, how)


def _list(field: Field, values: Iterable[Any], how: _How) -> list[Any]:
    found: list[Any] = []
    write_one = _WRITERS[field.kind]
    try:
        for value in values:
            found.append(write_one(field, value, how))
    except FAULTS as fault:
        raise within(f"[{len(found)}]", fault) from None
    return found


def _map(field: Field, entries: Mapping[Any, Any], how: _How) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in sorted(entries):
        if field.key == "bool":
            name = "true" if key else "false"
        else:
            name = str(_text(key) if field.key == "string" else _integer(key, field.key))
        try:
            found[name] = _one(field, entries[key], how)
        except FAULTS as fault:
            raise within(f"[{shown(name)}]", fault) from None
    return found


def _nested(field: Field, value: Any, how: _How) -> Any:
    if not isinstance(value, field.cls):
        raise TypeError(f"{type(value).__name__!r} is not {field.cls.__name__}")
    return _message(value, how)


def _string(field: Field, value: Any, _: _How) -> str:
    text = _text(value)
    if field.longest is not None:
        _within_longest(field, len(text.encode()))
    return text


def _bytes(field: Field, value: Any, _: _How) -> str:
    if field.longest is not None:
        _within_longest(field, len(value))
    return b2a_base64(value, newline=False).decode()


def _enum(field: Field, value: Any, _: _How) -> str | int:
    number = _integer(value, "int32")
    return field.names.get(number, number)


_WRITERS: dict[str, Callable[[Field, Any, _How], Any]] = {
    **dict.fromkeys(RANGES, lambda field, value, _: _integer(value, field.kind)),
    **dict.fromkeys(("int64", "uint64"), lambda field, value, _: str(_integer(value, field.kind))),
    **dict.fromkeys(("float32", "float64"), lambda field, value, _: real_of(value, field.kind)),
    "message": _nested,
    "string": _string,
    "bytes": _bytes,
    "bool": lambda _, value, __: bool(value),
    "enum": _enum,
    "null": lambda *_: None,
}
"""How one value of a kind is written."""


def _one(field: Field, value: Any, how: _How) -> Any:
    return _WRITERS[field.kind](field, value, how)


def _integer(value: Any, kind: str) -> int:
    number = index(value)
    low, high = RANGES[kind]
    if not low <= number <= high:
        raise ValueError(f"{shown(value)} is out of range for {kind}")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__!r} is not a string")
    return value


def _within_longest(field: Field, length: int) -> None:
    if length > (field.longest or 0):
        raise ValueError(f"it has {length} bytes; it takes {field.longest}")


def _any(message: Any, how: _How) -> dict[str, Any]:
    if not message.type_url and not message.value:
        return {}
    if how.anys == _DEEPEST_ANY:
        raise ValueError(f"messages in an Any are nested deeper than {_DEEPEST_ANY}")
    cls = class_of(message.type_url)
    inner = cls.decode_protobuf(message.value)
    tree = _message(inner, how._replace(anys=how.anys + 1))
    head = {"@type": message.type_url}
    return {**head, "value": tree} if table_of(cls).form else {**head, **tree}


def _value(message: Any, how: _How) -> Any:
    table = table_of(type(message))
    given = [f for f in table.fields if getattr(message, f.attribute) is not None]
    if len(given) > 1:
        raise ValueError("more than one member of the oneof kind is set")
    if not given:
        return None
    found = _one(given[0], getattr(message, given[0].attribute), how)
    if given[0].kind == "float64" and isinstance(found, str):
        raise ValueError(f"{found} is no number of JSON")
    return found


def _wrapper(message: Any, how: _How) -> Any:
    return _one(table_of(type(message)).fields[0], message.value, how)


def _struct(message: Any, how: _How) -> Any:
    return _map(table_of(type(message)).fields[0], message.fields, how)


def _values_of(message: Any, how: _How) -> Any:
    return _list(table_of(type(message)).fields[0], message.values, how)


_FORMS = {
    "any": _any,
    "duration": lambda message, _: duration_text(index(message.seconds), index(message.nanos)),
    "field_mask": lambda message, _: paths_text(message.paths),
    "list": _values_of,
    "struct": _struct,
    "timestamp": lambda message, _: timestamp_text(index(message.seconds), index(message.nanos)),
    "value": _value,
    "wrapper": _wrapper,
}
