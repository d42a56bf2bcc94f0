# SPDX-License-Identifier: Apache-2.0
"""Requests and replies of the services by which parameters of ROS 2 nodes are read and set."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wirecost.data.messages.cdr_values import CdrError, Reader, Writer

_Number = TypeVar("_Number", int, float)

LIST_SERVICE = ("list_parameters", "rcl_interfaces/srv/ListParameters")
GET_SERVICE = ("get_parameters", "rcl_interfaces/srv/GetParameters")
SET_SERVICE = ("set_parameters", "rcl_interfaces/srv/SetParameters")

Value = bool | int | float | str | list[int] | list[bool] | list[float] | list[str]

# rcl_interfaces/msg/ParameterType
_NOT_SET, _BOOL, _INTEGER, _DOUBLE, _STRING, _BYTES, _BOOLS, _INTEGERS, _DOUBLES, _STRINGS = range(
    10
)
_KINDS = {bool: _BOOL, int: _INTEGER, float: _DOUBLE, str: _STRING}
_LISTS = {bool: _BOOLS, int: _INTEGERS, float: _DOUBLES, str: _STRINGS}


@dataclass(frozen=True)
class Typed:
    """A parameter's value with the number of its type; None where it is not set."""

    kind: int
    value: Value | None


def list_request() -> bytes:
    """Return all names at any depth."""
    writer = Writer()
    writer.scalar("I", 0)
    writer.scalar("Q", 0)
    return writer.message()


def read_names(reply: bytes) -> list[str]:
    reader = Reader(reply)
    return _strings(reader)


def get_request(parameters: Sequence[str]) -> bytes:
    writer = Writer()
    writer.scalar("I", len(parameters))
    for name in parameters:
        writer.string(name)
    return writer.message()


def read_values(reply: bytes) -> list[Typed]:
    """Read ``rcl_interfaces/msg/ParameterValue``s.

    Raises:
        CdrError: the reply has another form.
    """
    reader = Reader(reply)
    # A value is a kind and everything that it could be: two bytes, two numbers, six lengths.
    return [read_value(reader) for _ in range(reader.count(2 + 2 * 8 + 6 * 4))]


def typed(value: object, present: Typed) -> Typed | None:
    """Return a value that went through JSON with the parameter's present type, where that fits.

    Bytes are integers in JSON, an empty list is of any type. None: no parameter is like that.
    """
    kinds = {type(each) for each in value} if isinstance(value, list) else {type(value)}
    if isinstance(value, list) and not kinds:
        return Typed(present.kind if present.kind >= _BYTES else _INTEGERS, value)
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) != 1:
        return None
    kind = (_LISTS if isinstance(value, list) else _KINDS).get(kinds.pop())
    if (kind, present.kind) in {(_INTEGERS, _BYTES), (_INTEGERS, _DOUBLES), (_INTEGER, _DOUBLE)}:
        kind = present.kind
    return None if kind is None else Typed(kind, value)  # type: ignore[arg-type]


def set_request(values: Sequence[tuple[str, Typed]]) -> bytes:
    """Raise ValueError where a value does not fit its type."""
    writer = Writer()
    writer.scalar("I", len(values))
    for name, value in values:
        writer.string(name)
        write_value(writer, value)
    return writer.message()


def read_results(reply: bytes) -> list[str | None]:
    """Why each was refused; None where it was set. Raises CdrError."""
    reader = Reader(reply)
    results = []
    for _ in range(reader.count(8)):
        done, reason = reader.boolean(), reader.string()
        results.append(None if done else reason or "no reason given")
    return results


def write_value(writer: Writer, typed_value: Typed) -> None:
    kind, value = typed_value.kind, typed_value.value
    writer.scalar("B", kind)
    scalars = ((_BOOL, "?", False), (_INTEGER, "q", 0), (_DOUBLE, "d", 0.0))
    lists = ((_BYTES, "B"), (_BOOLS, "?"), (_INTEGERS, "q"), (_DOUBLES, "d"))
    try:
        for each, code, none in scalars:
            writer.scalar(code, value if kind == each else none)  # type: ignore[arg-type]
        writer.string(str(value) if kind == _STRING else "")
        for each, code in lists:
            numbers = value if kind == each and isinstance(value, list) else []
            writer.scalar("I", len(numbers))
            for number in numbers:
                writer.scalar(code, number)  # type: ignore[arg-type]
    except struct.error as error:
        raise ValueError(str(error)) from error
    texts = value if kind == _STRINGS and isinstance(value, list) else []
    writer.scalar("I", len(texts))
    for text in texts:
        writer.string(str(text))


def read_value(reader: Reader) -> Typed:
    """Return one ``rcl_interfaces/msg/ParameterValue``. Raises CdrError."""
    kind = reader.integer("B")
    values: list[Value | None] = [
        None,
        reader.boolean(),
        reader.integer("q"),
        float(reader.scalar("d")),
        reader.string(),
        list(reader.octets(reader.count(1))),
        [reader.boolean() for _ in range(reader.count(1))],
        _numbers(reader, "q", int),
        _numbers(reader, "d", float),
        _strings(reader),
    ]
    if kind >= len(values):
        raise CdrError(f"a parameter of the unknown kind {kind}")
    return Typed(kind, values[kind])


def _numbers(reader: Reader, code: str, number: Callable[[int | float], _Number]) -> list[_Number]:
    return [number(reader.scalar(code)) for _ in range(reader.count(8))]


def _strings(reader: Reader) -> list[str]:
    return [reader.string() for _ in range(reader.count(4))]
