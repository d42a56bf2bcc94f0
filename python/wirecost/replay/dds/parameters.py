# SPDX-License-Identifier: Apache-2.0
"""A node's parameters, asked through the services that ROS 2's nodes have for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from wirecost.replay.dds.cdr import CdrError, Reader, Writer

_Number = TypeVar("_Number", int, float)

LIST_SERVICE = ("list_parameters", "rcl_interfaces/srv/ListParameters")
GET_SERVICE = ("get_parameters", "rcl_interfaces/srv/GetParameters")

Value = bool | int | float | str | list[int] | list[bool] | list[float] | list[str]


def list_request() -> bytes:
    """All names at any depth."""
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


def read_values(reply: bytes) -> list[Value | None]:
    """``rcl_interfaces/msg/ParameterValue``s; None of a parameter that is not set.

    Raises:
        CdrError: the reply has another form.
    """
    reader = Reader(reply)
    # A value is a kind and everything that it could be: two bytes, two numbers, six lengths.
    return [_value(reader) for _ in range(reader.count(2 + 2 * 8 + 6 * 4))]


def _value(reader: Reader) -> Value | None:
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
    return values[kind]


def _numbers(reader: Reader, code: str, number: Callable[[int | float], _Number]) -> list[_Number]:
    return [number(reader.scalar(code)) for _ in range(reader.count(8))]


def _strings(reader: Reader) -> list[str]:
    return [reader.string() for _ in range(reader.count(4))]
