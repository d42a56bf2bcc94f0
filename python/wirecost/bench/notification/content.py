# SPDX-License-Identifier: Apache-2.0
"""The messages that are sent, and the one line of text by which they are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

Id = tuple[bytes, int]


@dataclass(frozen=True)
class Value:
    """A notification as plain values; what is absent has its default, as ros1 and cdr see it."""

    event_id: Id
    scope: bytes
    wire_schema: bytes
    data: bytes
    method: bytes
    causes: tuple[Id, ...] = ()
    times: tuple[int, int, int, int] = (0, 0, 0, 0)
    """create, send, receive, deliver; microseconds since 1970-01-01 UTC."""
    user_times: tuple[Id, ...] = ()
    user_infos: tuple[tuple[bytes, bytes], ...] = field(default=())


def canonical(value: Value) -> str:
    """The line that the C++ program prints for the same message."""
    parts = [
        _id(value.event_id),
        *(text.hex() for text in (value.scope, value.wire_schema, value.data, value.method)),
        _list(map(_id, value.causes)),
        *map(str, value.times),
        _list(map(_id, value.user_times)),
        _list(f"{key.hex()}:{info.hex()}" for key, info in value.user_infos),
    ]
    return " ".join(parts)


def parse(line: str) -> Value:
    """The message of a canonical line."""
    identity, scope, schema, data, method, causes, *times, user_times, user_infos = line.split(" ")
    create, send, receive, deliver = map(int, times)
    return Value(
        _parse_id(identity),
        bytes.fromhex(scope),
        bytes.fromhex(schema),
        bytes.fromhex(data),
        bytes.fromhex(method),
        tuple(map(_parse_id, _items(causes))),
        (create, send, receive, deliver),
        tuple(map(_parse_id, _items(user_times))),
        tuple(_parse_info(item) for item in _items(user_infos)),
    )


def _id(value: Id) -> str:
    return f"{value[0].hex()}:{value[1]}"


def _list(items: Iterable[str]) -> str:
    return "[" + "".join(f"{item}," for item in items) + "]"


def _items(text: str) -> list[str]:
    return [item for item in text[1:-1].split(",") if item]


def _parse_id(text: str) -> Id:
    name, number = text.split(":")
    return bytes.fromhex(name), int(number)


def _parse_info(text: str) -> tuple[bytes, bytes]:
    key, value = text.split(":")
    return bytes.fromhex(key), bytes.fromhex(value)
