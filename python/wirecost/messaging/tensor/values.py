# SPDX-License-Identifier: Apache-2.0
"""Python's own values: how they are written."""

from __future__ import annotations

import datetime as dt
import struct
from typing import Any

import msgpack

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.writer import HANDLERS, Writer
from wirecost.system.errors import UserError

COMPLEX = struct.Struct("<dd")
_INLINE = frozenset({bool, float, type(None)})
_STR = frozenset({str})
_INT = frozenset({int})


def _same(_: Writer, value: Any) -> Any:
    return value


def _int(_: Writer, value: int) -> Any:
    if -(1 << 63) <= value < 1 << 64:
        return value
    size = value.bit_length() // 8 + 1
    return msgpack.ExtType(codes.INTEGER, value.to_bytes(size, "little", signed=True))


def _complex(_: Writer, value: complex) -> Any:
    return msgpack.ExtType(codes.COMPLEX, COMPLEX.pack(value.real, value.imag))


def _str(writer: Writer, value: str) -> Any:
    if len(value) <= codes.LONG:
        return value
    try:
        encoded = value.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"a string is not valid text ({error}): send it as bytes") from error
    writer.copied(len(encoded))
    return _long(writer, encoded, 3)


def _bytes(writer: Writer, value: bytes) -> Any:
    return value if len(value) <= codes.LONG else _long(writer, value, 0)


def _bytearray(writer: Writer, value: bytearray) -> Any:
    return _long(writer, value, 1)


def _memoryview(writer: Writer, value: memoryview) -> Any:
    if not value.c_contiguous:
        writer.copied(value.nbytes)
        return _long(writer, value.tobytes(), 2)
    return _long(writer, value if value.nbytes else b"", 2)


def _long(writer: Writer, value: Any, kind: int) -> Any:
    view = memoryview(value)
    index = writer.segment(view if view.format == "B" and view.ndim == 1 else view.cast("B"))
    return msgpack.ExtType(codes.BYTES, msgpack.packb([index, kind]))


def _list(writer: Writer, value: list[Any]) -> Any:
    types = set(map(type, value))
    if types <= _INLINE:
        return value
    if types == _INT and min(value) >= -(1 << 63) and max(value) < 1 << 64:
        return value
    return [writer.prepare(item) for item in value]


def _dict(writer: Writer, value: dict[Any, Any]) -> Any:
    if _STR.issuperset(map(type, value)):
        return {
            key: item if type(item) in _INLINE else writer.prepare(item)
            for key, item in value.items()
        }
    flat = [part for item in value.items() for part in item]
    return writer.extension(codes.MAP, flat)


def _tuple(writer: Writer, value: tuple[Any, ...]) -> Any:
    return writer.extension(codes.TUPLE, list(value))


def _set(writer: Writer, value: set[Any] | frozenset[Any]) -> Any:
    return writer.extension(codes.SET, [type(value) is frozenset, *value])


def _datetime(writer: Writer, value: dt.datetime) -> Any:
    zone = getattr(value.tzinfo, "key", None)
    return writer.extension(codes.TIME, ["datetime", value.isoformat(), zone, value.fold])


def _date(writer: Writer, value: dt.date) -> Any:
    return writer.extension(codes.TIME, ["date", value.isoformat()])


def _time(writer: Writer, value: dt.time) -> Any:
    if getattr(value.tzinfo, "key", None) is not None:
        raise UserError("a time of day in a named zone has no offset: send a datetime")
    return writer.extension(codes.TIME, ["time", value.isoformat(), value.fold])


def _timedelta(writer: Writer, value: dt.timedelta) -> Any:
    parts = ["timedelta", value.days, value.seconds, value.microseconds]
    return writer.extension(codes.TIME, parts)


HANDLERS.update(
    {
        type(None): _same,
        bool: _same,
        float: _same,
        int: _int,
        complex: _complex,
        str: _str,
        bytes: _bytes,
        bytearray: _bytearray,
        memoryview: _memoryview,
        list: _list,
        dict: _dict,
        tuple: _tuple,
        set: _set,
        frozenset: _set,
        dt.datetime: _datetime,
        dt.date: _date,
        dt.time: _time,
        dt.timedelta: _timedelta,
    }
)
