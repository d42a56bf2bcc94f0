# SPDX-License-Identifier: Apache-2.0
"""Default values as descriptors hold them: text, for bytes with C's escapes."""

from __future__ import annotations

import math
import re
import struct
from typing import NoReturn

from google.protobuf import descriptor_pb2 as pb

from wirecost.schema.compile.schema import CompileError, Kind, Origin, Value

_ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))


def default_value(text: str, kind: Kind) -> Value:
    """Return the value of a scalar's default. Raises ValueError if ``text`` is none."""
    if kind is Kind.BOOL:
        return {"true": True, "false": False}[text] if text in ("true", "false") else _wrong(text)
    if kind is Kind.STRING:
        return text
    if kind is Kind.BYTES:
        return _ESCAPE.sub(_unescaped, text.encode())
    if kind is Kind.FLOAT64:
        return float(text)
    if kind is Kind.FLOAT32:
        return _single(float(text))
    return _integer(text, kind)


def bad_default(descriptor: pb.FieldDescriptorProto, origin: Origin) -> CompileError:
    return CompileError(
        origin,
        f"`{descriptor.default_value[:40]}` is no value of {descriptor.name}",
        "write a value of the field's type",
    )


def _integer(text: str, kind: Kind) -> int:
    number = int(text) if len(text) <= len(str(1 << 64)) else _wrong(text)
    bits = 8 * (kind.width or 0)
    signed = kind in (Kind.INT32, Kind.INT64)
    least = -(1 << bits - 1) if signed else 0
    return number if least <= number < least + (1 << bits) else _wrong(text)


def _single(value: float) -> float:
    """Return the float that protoc's code makes of one that has no place among those of 32 bits."""
    try:
        (near,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return near if near == 0 else value


def _unescaped(found: re.Match[bytes]) -> bytes:
    if found[1] is not None:
        return bytes((int(found[1], 16),))
    if found[2] is not None:
        return bytes((int(found[2], 8) & 0xFF,))
    return bytes((_LETTERS.get(found[3][0], found[3][0]),))


def _wrong(text: str) -> NoReturn:
    raise ValueError(text)
