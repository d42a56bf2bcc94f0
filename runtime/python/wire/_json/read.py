# SPDX-License-Identifier: Apache-2.0
"""Messages of JSON.

Objects are tuples of pairs, so that names which come twice are seen, and numbers their texts.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from .._wirecost import Buffer, WireError
from .faults import DEPTH, FAULTS, within
from .scalars import RANGES, Number, data, integer, real, shown
from .table import ARRAY, CODES, MAP, REPEATED, Field, Table, class_of, table_of
from .well_known import duration, paths, timestamp

T = TypeVar("T")

_MEMORY, _MEMORY_A_BYTE = 1 << 26, 64
"""Memory that messages may take, about: so much, and so much for each byte of the text."""
_SKIPPED = object()
"""In place of a value that an enum does not know."""
_EMPTY = "google.protobuf.Empty"


class _How:
    """What a reader carries along."""

    def __init__(self, ignore_unknown: bool, length: int) -> None:
        self.ignore_unknown = ignore_unknown
        self.memory = _MEMORY + _MEMORY_A_BYTE * length

    def take(self, size: int) -> None:
        self.memory -= size
        if self.memory < 0:
            raise ValueError("the messages take far more memory than the text")


def read(cls: type[T], text: str | Buffer, ignore_unknown: bool) -> T:
    """Read a message. Raises WireError, with a position only where the text is not JSON."""
    if not isinstance(text, str):
        text = _decoded(text)
    try:
        tree = _decoder.decode(text)
        message: T = _message(cls, tree, 0, _How(ignore_unknown, len(text)))
    except json.JSONDecodeError as fault:
        position = len(text[: fault.pos].encode("utf-8", "surrogatepass"))
        raise WireError(f"the text is not JSON: {fault.msg}", position) from None
    except RecursionError:
        raise WireError("the text is nested too deep") from None
    except FAULTS as fault:
        raise WireError(f"the text is not {cls.__name__}: {fault}") from None
    return message


def _decoded(text: Buffer) -> str:
    try:
        return memoryview(text).tobytes().decode()
    except UnicodeDecodeError as fault:
        raise WireError("the text is not UTF-8", fault.start) from None
    except TypeError:
        raise WireError(f"{type(text).__name__} is neither text nor bytes") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON: write it as a string")


_decoder = json.JSONDecoder(
    object_pairs_hook=tuple,
    parse_int=Number,
    parse_float=Number,
    parse_constant=_refuse_constant,
)


def _message(cls: Any, tree: Any, depth: int, how: _How) -> Any:
    table = table_of(cls)
    if depth > DEPTH:
        raise ValueError(f"messages are nested deeper than {DEPTH}")
    how.take(table.weight)
    message = cls()
    if table.form:
        _FORMS[table.form](message, tree, depth, how)
    else:
        _fill(message, table, tree, depth, how)
    return message


def _fill(message: Any, table: Table, tree: Any, depth: int, how: _How) -> None:
    if type(tree) is not tuple:
        raise ValueError(f"{shown(tree)} is no object")
    seen: set[str] = set()
    for name, value in tree:
        field = table.by_name.get(name)
        if field is None:
            if how.ignore_unknown:
                continue
            raise ValueError(_unknown(name, table))
        try:
            if field.name in seen:
                raise ValueError("it comes twice")
            seen.add(field.name)
            if value is None and not (field.takes_null and field.shape not in _MANY):
                continue
            if field.oneof:
                if f"oneof {field.oneof}" in seen:
                    raise ValueError(f"a second member of the oneof {field.oneof}")
                seen.add(f"oneof {field.oneof}")
            found = _values(message, field, value, depth, how)
        except FAULTS as fault:
            raise within(field.name, fault) from None
        if found is not _SKIPPED:
            setattr(message, field.attribute, found)
    if not seen >= table.required:
        lacking = min(table.required - seen)
        raise ValueError(f"the required field {lacking} is missing")


def _unknown(name: str, table: Table) -> str:
    if name.startswith("["):
        return f"{shown(name)}: extensions are not supported"
    return f"{table.full_name} has no field {shown(name)}"


_MANY = (REPEATED, ARRAY, MAP)


def _values(message: Any, field: Field, tree: Any, depth: int, how: _How) -> Any:
    if field.shape == MAP:
        return _map(field, tree, depth, how)
    if field.shape not in _MANY:
        return _one(field, tree, depth + 1, how)
    found: Any = _list(field, tree, depth + 1, how)
    if field.capacity is not None and len(found) > field.capacity:
        raise ValueError(f"{len(found)} elements; it takes {field.capacity}")
    if field.kind == "uint8":
        found = bytes(found)
    elif field.kind in CODES:
        found = array(CODES[field.kind], found)
    if field.shape == ARRAY:  # elements that do not come have their defaults
        found += getattr(message, field.attribute)[len(found) :]
    return found


def _list(field: Field, tree: Any, depth: int, how: _How) -> list[Any]:
    if type(tree) is not list:
        raise ValueError(f"{shown(tree)} is no array")
    found: list[Any] = []
    read_one = _one if None in tree else _READERS[field.kind]
    try:
        for value in tree:
            found.append(read_one(field, value, depth, how))
    except FAULTS as fault:
        raise within(f"[{len(found)}]", fault) from None
    if field.numbers:  # of an enum, which may have skipped some
        found = [one for one in found if one is not _SKIPPED]
    return found


def _map(field: Field, tree: Any, depth: int, how: _How) -> dict[Any, Any]:
    if type(tree) is not tuple:
        raise ValueError(f"{shown(tree)} is no object")
    if depth >= DEPTH:
        raise ValueError(f"messages are nested deeper than {DEPTH}")
    found: dict[Any, Any] = {}
    name = ""
    try:
        for name, value in tree:
            key = _key(field.key, name)
            if key in found:
                raise ValueError("the key comes twice")
            one = _one(field, value, depth + 2, how)
            if one is not _SKIPPED:
                found[key] = one
    except FAULTS as fault:
        raise within(f"[{shown(name)}]", fault) from None
    return found


def _key(kind: str, name: str) -> Any:
    if kind == "string":
        return _text(name)
    if kind != "bool":
        return integer(name, kind)
    if name not in ("true", "false"):
        raise ValueError("it is neither true nor false")
    return name == "true"


def _one(field: Field, tree: Any, depth: int, how: _How) -> Any:
    if tree is None and not field.takes_null:
        raise ValueError("null is no value here")
    return _READERS[field.kind](field, tree, depth, how)


def _nested(field: Field, tree: Any, depth: int, how: _How) -> Any:
    return _message(field.cls, tree, depth, how)


def _string(field: Field, tree: Any, _: int, __: _How) -> str:
    text = _text(tree)
    if field.longest is not None:
        _within_longest(field, len(text.encode()))
    return text


def _bytes(field: Field, tree: Any, _: int, __: _How) -> bytes:
    found = data(_text(tree))
    _within_longest(field, len(found))
    return found


def _bool(_: Field, tree: Any, __: int, ___: _How) -> bool:
    if tree is True or tree is False:
        return bool(tree)
    raise ValueError(f"{shown(tree)} is neither true nor false")


def _integer(field: Field, tree: Any, _: int, __: _How) -> int:
    return integer(tree, field.kind)


def _real(field: Field, tree: Any, _: int, __: _How) -> float:
    return real(tree, field.kind)


def _enum(field: Field, tree: Any, _: int, how: _How) -> Any:
    if tree is None:
        return 0  # of the enum whose only value is null
    if type(tree) is str and tree in field.numbers:
        return field.numbers[tree]
    is_number = isinstance(tree, Number) or (type(tree) is str and tree[:1] in tuple("-0123456789"))
    if is_number:
        number = integer(tree, "int32")
        if not field.closed or number in field.names:
            return number
    elif type(tree) is not str:
        raise ValueError(f"{shown(tree)} is no value of an enum")
    if how.ignore_unknown:
        return _SKIPPED
    raise ValueError(f"{field.cls.__name__} has no value {shown(tree)}")


_READERS: dict[str, Callable[[Field, Any, int, _How], Any]] = {
    **dict.fromkeys(RANGES, _integer),
    **dict.fromkeys(("float32", "float64"), _real),
    **dict.fromkeys(("enum", "null"), _enum),
    "message": _nested,
    "string": _string,
    "bytes": _bytes,
    "bool": _bool,
}
"""How one value of a kind is read."""


def _text(tree: Any) -> str:
    if type(tree) is not str:
        raise ValueError(f"{shown(tree)} is no string")
    if not tree.isascii():
        try:
            tree.encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is no character") from None
    return tree


def _within_longest(field: Field, length: int) -> None:
    if field.longest is not None and length > field.longest:
        raise ValueError(f"{length} bytes; it takes {field.longest}")


def _any(message: Any, tree: Any, depth: int, how: _How) -> None:
    if type(tree) is not tuple:
        raise ValueError(f"{shown(tree)} is no object")
    if not tree:
        return
    urls = [value for name, value in tree if name == "@type"]
    if len(urls) != 1:
        raise ValueError("@type comes twice" if urls else "@type is missing")
    url = _text(urls[0])
    cls = class_of(url)
    table = table_of(cls)
    rest = tuple(pair for pair in tree if pair[0] != "@type")
    if table.full_name == _EMPTY and rest == (("value", ()),):
        rest = ()  # as some write it
    if not table.form:
        inner = _message(cls, rest, depth + 1, how)
    else:
        values = [value for name, value in rest if name == "value"]
        if len(values) != 1 or (len(rest) != 1 and not how.ignore_unknown):
            raise ValueError(f"an object with {table.full_name} has @type and value")
        inner = _message(cls, values[0], depth + 1, how)
    message.type_url, message.value = url, inner.encode_protobuf()


def _value(message: Any, tree: Any, depth: int, how: _How) -> None:
    if tree is None:
        message.null_value = 0
        return
    name = _KINDS[type(tree)]
    field = table_of(type(message)).by_name[name]
    setattr(message, field.attribute, _one(field, tree, depth + 1, how))


_KINDS = {
    Number: "number_value",
    str: "string_value",
    bool: "bool_value",
    tuple: "struct_value",
    list: "list_value",
}


def _struct(message: Any, tree: Any, depth: int, how: _How) -> None:
    message.fields = _map(table_of(type(message)).fields[0], tree, depth, how)


def _values_of(message: Any, tree: Any, depth: int, how: _How) -> None:
    message.values = _list(table_of(type(message)).fields[0], tree, depth + 1, how)


def _wrapper(message: Any, tree: Any, depth: int, how: _How) -> None:
    message.value = _one(table_of(type(message)).fields[0], tree, depth, how)


def _timestamp(message: Any, tree: Any, _: int, __: _How) -> None:
    message.seconds, message.nanos = timestamp(_text(tree))


def _duration(message: Any, tree: Any, _: int, __: _How) -> None:
    message.seconds, message.nanos = duration(_text(tree))


def _field_mask(message: Any, tree: Any, _: int, __: _How) -> None:
    message.paths = paths(_text(tree))


_FORMS = {
    "any": _any,
    "duration": _duration,
    "field_mask": _field_mask,
    "list": _values_of,
    "struct": _struct,
    "timestamp": _timestamp,
    "value": _value,
    "wrapper": _wrapper,
}
