# SPDX-License-Identifier: Apache-2.0
"""A writer of the columns wire made from docs/formats/columns.md alone.

It works on Google's messages, element by element, and shares nothing with the compiler or what the
compiler writes: golden vectors come from here.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

BAND = 1 << 26
PRESENCE, OFFSETS, SCALE, BASE, CONSTANT = (k * BAND for k in range(1, 6))
COUNT, PADDING = 7 * BAND, 7 * BAND + 1

_F = FieldDescriptor
_STRUCTS = {
    _F.TYPE_DOUBLE: "d",
    _F.TYPE_FLOAT: "f",
    _F.TYPE_INT64: "q",
    _F.TYPE_SINT64: "q",
    _F.TYPE_SFIXED64: "q",
    _F.TYPE_UINT64: "Q",
    _F.TYPE_FIXED64: "Q",
    _F.TYPE_INT32: "i",
    _F.TYPE_SINT32: "i",
    _F.TYPE_SFIXED32: "i",
    _F.TYPE_UINT32: "I",
    _F.TYPE_FIXED32: "I",
    _F.TYPE_BOOL: "?",
}
_TEXTS = (_F.TYPE_STRING, _F.TYPE_BYTES)
_MESSAGES = (_F.TYPE_MESSAGE, _F.TYPE_GROUP)


@dataclass(frozen=True)
class Reduction:
    """exact, auto, float32 or error with its bound, for every column that can take it."""

    form: str = "exact"
    error: float = 0.0


def columns(rows: Sequence[Message], type_: Descriptor, reduction: Reduction) -> bytes:
    """Return the content of a columns field that stands at position 0."""
    writer = _Writer(reduction)
    writer.varint_field(COUNT, len(rows))
    writer.message(type_, list(rows))
    return bytes(writer.out)


class _Writer:
    def __init__(self, reduction: Reduction) -> None:
        self.out = bytearray()
        self._reduction = reduction

    def message(self, type_: Descriptor, elements: list[Any]) -> None:
        """Elements are messages, or None where the message around is absent."""
        for field in sorted(type_.fields, key=lambda f: f.number):
            self._field(field, elements)

    def _field(self, field: FieldDescriptor, elements: list[Any]) -> None:
        if field.is_repeated:
            self._repeated(field, elements)
            return
        tracked = field.has_presence and not field.is_required
        has = [
            e is not None and (not field.has_presence or e.HasField(field.name)) for e in elements
        ]
        values = [getattr(e, field.name) if h else None for e, h in zip(elements, has, strict=True)]
        plain = not tracked and not field.is_required
        if not any(has) or (plain and _all_default(field, values)):
            return
        around = [e is not None for e in elements]
        if tracked and has != around:
            self.payload(PRESENCE + field.number, bitmap(has))
        self._single(field, field.number, values)

    def _single(self, field: FieldDescriptor, number: int, values: list[Any]) -> None:
        if field.type in _MESSAGES:
            self._nested(number, field.message_type, values)
        elif field.type in _TEXTS:
            self._texts(number, values)
        else:
            self._scalars(field, number, values, may_run=True)

    def _repeated(self, field: FieldDescriptor, elements: list[Any]) -> None:
        lists = [_items(field, e) for e in elements]
        if not any(lists):
            return
        self.offsets(field.number, [len(items) for items in lists])
        values = [item for items in lists for item in items]
        if field.type in _MESSAGES:
            self._nested(field.number, field.message_type, values)
        elif field.type in _TEXTS:
            start = self._open(field.number)
            if any(values):
                self._texts(1, values)
            self._close(start)
        else:
            self._scalars(field, field.number, values, may_run=False)

    def _nested(self, number: int, type_: Descriptor, values: list[Any]) -> None:
        start = self._open(number)
        self.message(type_, values)
        self._close(start)

    def _texts(self, number: int, values: list[Any]) -> None:
        texts = [None if v is None else v.encode() if isinstance(v, str) else v for v in values]
        present = [t for t in texts if t is not None]
        if self._reduction.form == "auto" and len(set(present)) == 1:
            self.out += tag(CONSTANT + number, 2) + varint(len(present[0])) + present[0]
            return
        self.offsets(number, [len(t or b"") for t in texts])
        if any(texts):
            self.payload(number, b"".join(t or b"" for t in texts))

    def _scalars(
        self, field: FieldDescriptor, number: int, values: list[Any], may_run: bool
    ) -> None:
        form, error = self._reduction.form, self._reduction.error
        real = field.type in (_F.TYPE_DOUBLE, _F.TYPE_FLOAT)
        if (form == "float32" and field.type != _F.TYPE_DOUBLE) or (form == "error" and not real):
            form = "exact"
        present = [v for v in values if v is not None]
        if form != "exact" and len({packed(field, v, 4) for v in present}) == 1:
            self._constant(field, number, present[0])
            return
        column = _stored(field, values, form, error)
        parts = column.parts
        if may_run and form != "exact":
            starts = [i for i, p in enumerate(parts) if i == 0 or p != parts[i - 1]]
            width = len(parts[0])
            if 4 * (len(starts) + 1) + width * len(starts) < width * len(parts):
                ends = (*starts, len(parts))
                self.payload(OFFSETS + number, struct.pack(f"<{len(ends)}I", *ends))
                parts = [parts[i] for i in starts]
        if column.scale is not None:
            self.double_field(SCALE + number, column.scale)
            self.double_field(BASE + number, column.base)
        self.payload(number, b"".join(parts))

    def _constant(self, field: FieldDescriptor, number: int, value: Any) -> None:
        if field.type == _F.TYPE_BOOL:
            self.varint_field(CONSTANT + number, int(value))
            return
        data = packed(field, value, 4)
        self.out += tag(CONSTANT + number, 1 if len(data) == 8 else 5) + data

    def offsets(self, number: int, sizes: list[int]) -> None:
        at = [0]
        for size in sizes:
            at.append(at[-1] + size)
        self.payload(OFFSETS + number, struct.pack(f"<{len(at)}I", *at))

    def payload(self, number: int, data: bytes) -> None:
        head = tag(number, 2) + varint(len(data))
        if missing := -(len(self.out) + len(head)) % 64:
            # The padding's own tag and length take six bytes.
            missing = missing if missing >= 6 else missing + 64
            self.out += tag(PADDING, 2) + bytes([missing - 6]) + bytes(missing - 6)
        self.out += head + data

    def varint_field(self, number: int, value: int) -> None:
        self.out += tag(number, 0) + varint(value)

    def double_field(self, number: int, value: float) -> None:
        self.out += tag(number, 1) + struct.pack("<d", value)

    def _open(self, number: int) -> int:
        self.out += tag(number, 2) + bytes(5)
        return len(self.out)

    def _close(self, start: int) -> None:
        length = len(self.out) - start
        groups = [length >> 7 * i & 0x7F | 0x80 for i in range(5)]
        groups[4] &= 0x7F
        self.out[start - 5 : start] = bytes(groups)


@dataclass(frozen=True)
class _Stored:
    """Stored values, each as its bytes."""

    parts: list[bytes]
    scale: float | None = None
    base: float = 0.0


def _stored(field: FieldDescriptor, values: list[Any], form: str, error: float) -> _Stored:
    if form == "error":
        if stored := _scaled_reals(field, values, error):
            return stored
        form = "auto"
    if form == "float32":
        if stored := _narrow(values, exactly=False):
            return stored
        form = "auto"
    if form == "auto":
        if field.type == _F.TYPE_DOUBLE:
            stored = _narrow(values, exactly=True)
        elif field.cpp_type in (
            _F.CPPTYPE_INT32,
            _F.CPPTYPE_INT64,
            _F.CPPTYPE_UINT32,
            _F.CPPTYPE_UINT64,
        ):
            stored = _scaled_integers(field, values)
        else:
            stored = None
        if stored:
            return stored
    width = 4
    if field.type == _F.TYPE_ENUM:
        width = 1 if all(0 <= v <= 255 for v in values if v is not None) else 4
    zero = packed(field, 0, width)
    return _Stored([zero if v is None else packed(field, v, width) for v in values])


def _scaled_reals(field: FieldDescriptor, values: list[Any], error: float) -> _Stored | None:
    present = [v for v in values if v is not None]
    if not all(map(math.isfinite, present)):
        return None
    base, scale = min(present), 2 * error * (1 - 2**-20)
    own = 8 if field.type == _F.TYPE_DOUBLE else 4
    if (max(present) - base) / scale > 2**33:
        return None
    stored = [0 if v is None else math.floor((v - base) / scale + 0.5) for v in values]
    width = _bytes_of(max(stored), own)
    if width is None:
        return None
    for value, number in zip(values, stored, strict=True):
        read = base + scale * number
        if own == 4:
            read = struct.unpack("<f", struct.pack("<f", read))[0]
        if value is not None and not abs(read - value) <= error:
            return None
    return _Stored([n.to_bytes(width, "little") for n in stored], scale, base)


def _scaled_integers(field: FieldDescriptor, values: list[Any]) -> _Stored | None:
    present = [v for v in values if v is not None]
    least = min(present)
    width = _bytes_of(max(present) - least, struct.calcsize("<" + _STRUCTS[field.type]))
    if width is None or abs(least) > 2**53:
        return None
    parts = [(0 if v is None else v - least).to_bytes(width, "little") for v in values]
    return _Stored(parts, 1.0, float(least))


def _bytes_of(largest: int, own: int) -> int | None:
    return next((w for w in (1, 2, 3, 4) if w < own and largest < 1 << 8 * w), None)


def _narrow(values: list[Any], exactly: bool) -> _Stored | None:
    parts = []
    for value in values:
        try:
            part = struct.pack("<f", 0.0 if value is None else value)
        except OverflowError:
            return None
        if exactly and value is not None:
            back = struct.pack("<d", struct.unpack("<f", part)[0])
            if back != struct.pack("<d", value):
                return None
        parts.append(part)
    return _Stored(parts)


def packed(field: FieldDescriptor, value: Any, width: int) -> bytes:
    if field.type == _F.TYPE_ENUM:
        return int(value).to_bytes(width, "little", signed=width == 4)
    return struct.pack("<" + _STRUCTS[field.type], value)


def bitmap(bits: list[bool]) -> bytes:
    out = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        out[i // 8] |= bit << i % 8
    return bytes(out)


def _all_default(field: FieldDescriptor, values: list[Any]) -> bool:
    """Bit for bit: a negative zero is no default."""
    if field.type in _MESSAGES:
        return False
    if field.type in _TEXTS:
        return not any(values)
    return not any(any(packed(field, v, 4)) for v in values if v is not None)


def _items(field: FieldDescriptor, element: Any) -> list[Any]:
    if element is None:
        return []
    value = getattr(element, field.name)
    if field.message_type is None or not field.message_type.GetOptions().map_entry:
        return list(value)
    entry = message_factory.GetMessageClass(field.message_type)
    return [entry(key=key, value=value[key]) for key in sorted(value)]


def tag(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
