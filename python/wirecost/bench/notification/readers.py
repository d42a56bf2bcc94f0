# SPDX-License-Identifier: Apache-2.0
"""Independent readers: each wire read from its specification, never with a contender's code."""

from __future__ import annotations

import struct
from collections.abc import Callable

from wirecost.bench.notification.content import Id, Value
from wirecost.bench.protobuf_fields import BYTES, VARINT, fields


def read(wire: str, data: bytes) -> Value:
    """Raises ValueError if the bytes are no notification on this wire."""
    try:
        return _READERS[wire](data)
    except (IndexError, struct.error) as error:
        raise ValueError(f"cut off: {error}") from error


class _Sequential:
    """Fields in order; ``alignment``: the largest (1: none), ``terminated``: strings have a NUL."""

    def __init__(self, data: bytes, alignment: int, terminated: bool) -> None:
        self._data = data
        self._at = 0
        self._alignment = alignment
        self._terminated = terminated

    def number(self, code: str) -> int:
        width = struct.calcsize(f"<{code}")
        self._at += -self._at % min(width, self._alignment)
        (value,) = struct.unpack_from(f"<{code}", self._data, self._at)
        self._at += width
        return int(value)

    def text(self) -> bytes:
        size = self.number("I")
        value = self._data[self._at : self._at + size]
        if len(value) != size:
            raise ValueError("a string reaches beyond the end")
        self._at += size
        if not self._terminated:
            return value
        if not value.endswith(b"\0"):
            raise ValueError("a string does not end with a NUL")
        return value[:-1]

    def notification(self) -> Value:
        value = Value(
            (self.text(), self.number("I")),
            self.text(),
            self.text(),
            self.text(),
            self.text(),
            tuple((self.text(), self.number("I")) for _ in range(self.number("I"))),
            (self.number("q"), self.number("q"), self.number("q"), self.number("q")),
            tuple((self.text(), self.number("Q")) for _ in range(self.number("I"))),
            tuple((self.text(), self.text()) for _ in range(self.number("I"))),
        )
        if self._at != len(self._data):
            raise ValueError(f"{len(self._data) - self._at} bytes follow the message")
        return value


def _ros1(data: bytes) -> Value:
    return _Sequential(data, 1, terminated=False).notification()


def _cdr(data: bytes) -> Value:
    """Texts may come as strings, with a NUL, or as octet sequences, without."""
    if data[:4] != b"\0\1\0\0":
        raise ValueError("not CDR_LE")
    try:
        return _Sequential(data[4:], 8, terminated=True).notification()
    except (ValueError, IndexError, struct.error):
        return _Sequential(data[4:], 8, terminated=False).notification()


Parsed = dict[int, list[int | bytes]]


def _protobuf(data: bytes) -> Value:
    parsed = _fields(data)
    (meta,) = map(_fields, _bytes(parsed, 15))
    return Value(
        _identity(_bytes(parsed, 108)[0]),
        _bytes(parsed, 6)[0],
        _bytes(parsed, 7)[0],
        _bytes(parsed, 9)[0],
        (_bytes(parsed, 14) or [b""])[-1],
        tuple(map(_identity, _bytes(parsed, 13))),
        (_time(meta, 2), _time(meta, 3), _time(meta, 4), _time(meta, 5)),
        tuple(map(_identity, _bytes(meta, 6))),
        tuple((_bytes(f, 1)[0], _bytes(f, 2)[0]) for f in map(_fields, _bytes(meta, 7))),
    )


def _identity(data: bytes) -> Id:
    parsed = _fields(data)
    return _bytes(parsed, 1)[0], _number(parsed, 2)


def _bytes(parsed: Parsed, number: int) -> list[bytes]:
    return [value for value in parsed.get(number, []) if isinstance(value, bytes)]


def _number(parsed: Parsed, number: int) -> int:
    value = parsed[number][-1] if number in parsed else 0
    return value if isinstance(value, int) else 0


def _time(parsed: Parsed, number: int) -> int:
    value = _number(parsed, number)
    return value - 2**64 if value >= 2**63 else value


def _fields(data: bytes) -> Parsed:
    found: Parsed = {}
    for number, kind, value in fields(data):
        if kind not in {VARINT, BYTES}:
            raise ValueError(f"field {number} has wire type {kind}, which no field has")
        found.setdefault(number, []).append(value)
    return found


_READERS: dict[str, Callable[[bytes], Value]] = {
    "protobuf": _protobuf,
    "ros1": _ros1,
    "cdr": _cdr,
}
