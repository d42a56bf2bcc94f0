# SPDX-License-Identifier: Apache-2.0
"""Independent readers: each wire read from its specification, never with a contender's code."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from wirecost.bench.notification.content import Id, Value


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
    fields = _fields(data)
    (meta,) = map(_fields, _bytes(fields, 15))
    return Value(
        _identity(_bytes(fields, 108)[0]),
        _bytes(fields, 6)[0],
        _bytes(fields, 7)[0],
        _bytes(fields, 9)[0],
        (_bytes(fields, 14) or [b""])[-1],
        tuple(map(_identity, _bytes(fields, 13))),
        (_time(meta, 2), _time(meta, 3), _time(meta, 4), _time(meta, 5)),
        tuple(map(_identity, _bytes(meta, 6))),
        tuple((_bytes(f, 1)[0], _bytes(f, 2)[0]) for f in map(_fields, _bytes(meta, 7))),
    )


def _identity(data: bytes) -> Id:
    fields = _fields(data)
    return _bytes(fields, 1)[0], _number(fields, 2)


def _bytes(fields: Parsed, number: int) -> list[bytes]:
    return [value for value in fields.get(number, []) if isinstance(value, bytes)]


def _number(fields: Parsed, number: int) -> int:
    value = fields[number][-1] if number in fields else 0
    return value if isinstance(value, int) else 0


def _time(fields: Parsed, number: int) -> int:
    value = _number(fields, number)
    return value - 2**64 if value >= 2**63 else value


def _fields(data: bytes) -> Parsed:
    found: Parsed = {}
    for number, value in _walk(data):
        found.setdefault(number, []).append(value)
    return found


def _walk(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 2:
            size = varint()
            if at + size > len(data):
                raise ValueError(f"field {tag >> 3} reaches beyond the end")
            yield tag >> 3, data[at : at + size]
            at += size
        else:
            raise ValueError(f"field {tag >> 3} has wire type {tag & 7}, which no field has")


_READERS: dict[str, Callable[[bytes], Value]] = {
    "protobuf": _protobuf,
    "ros1": _ros1,
    "cdr": _cdr,
}
