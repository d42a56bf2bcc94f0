# SPDX-License-Identifier: Apache-2.0
"""Independent reader of columns, by their specification (docs/formats/columns.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from wirecost.data.messages.subject import canonical

from .contents import Array
from .elements import ElementField, RepeatedElements

FIXED = {1: 8, 5: 4}
"""Bytes of numbers by wire type."""
BAND = 1 << 26
PRESENCE, OFFSETS, SCALE, BASE, CONSTANT, COLUMNS, OWN = range(1, 8)
"""Meaning of a column's number divided by BAND."""

Parsed = dict[int, int | bytes]


@dataclass(frozen=True)
class ColumnsReader:
    """Reads messages whose list is in columns. ``is_reduced``: values are within stated errors."""

    elements: RepeatedElements
    is_reduced: bool = False

    def read(self, data: bytes) -> Message:
        """Return a message of Google's class. Raises DecodeError."""
        try:
            return self.elements.message(self._content(data))
        except ValueError as error:
            raise DecodeError(str(error)) from error

    def difference(self, message: Message, expected: Message) -> str:
        """Return where two messages differ, empty if nowhere."""
        if not self.is_reduced and canonical(message) == canonical(expected):
            return ""
        difference = self.elements.difference(message, expected, self.is_reduced)
        return difference or ("" if self.is_reduced else "has another content")

    def _content(self, data: bytes) -> dict[str, Array]:
        columns = _single(data).get(COLUMNS * BAND + self.elements.field.number)
        if not isinstance(columns, bytes):
            raise ValueError("there are no columns")
        count = _single(columns).get(OWN * BAND)
        if not isinstance(count, int):
            raise ValueError("the columns do not say how many elements there are")
        row = _row(self.elements)
        return {field.path: _column(field, columns, row, count) for field in self.elements.fields}


@dataclass(frozen=True)
class ReducedRowsReader:
    """Reads rows that were made of reduced columns."""

    elements: RepeatedElements

    def read(self, data: bytes) -> Any:
        """Return a message of Google's class. Raises DecodeError."""
        return self.elements.subject.read(data)

    def difference(self, message: Message, expected: Message) -> str:
        """Return where two messages differ by more than the stated errors, empty if nowhere."""
        return self.elements.difference(message, expected, is_reduced=True)


def _row(of: RepeatedElements) -> Descriptor:
    return _type_of(of.subject.message_class.DESCRIPTOR.fields_by_name[of.field.name])


def _column(field: ElementField, columns: bytes, row: Descriptor, count: int) -> Array:
    """Return the values of one field, which every element must have."""
    *outer, last = field.path.split(".")
    parts = _single(columns)
    for name in outer:
        number = row.fields_by_name[name].number
        if PRESENCE * BAND + number in parts:
            raise ValueError(f"some elements have no {name}")
        nested = parts.get(number)
        if not isinstance(nested, bytes):
            raise ValueError(f"no element has {name}")
        parts, row = _single(nested), _type_of(row.fields_by_name[name])
    number = row.fields_by_name[last].number
    if PRESENCE * BAND + number in parts:
        raise ValueError(f"some elements have no {field.path}")
    constant = parts.get(CONSTANT * BAND + number)
    if isinstance(constant, bytes):
        # 8- and 16-bit integers come in four bytes, of which the low ones are the value.
        return np.repeat(np.frombuffer(constant[: field.dtype.itemsize], field.dtype), count)
    stored = parts.get(number)
    if not isinstance(stored, bytes):
        if row.fields_by_name[last].has_presence:
            raise ValueError(f"no element has {field.path}")
        return np.zeros(count, field.dtype)
    starts = parts.get(OFFSETS * BAND + number)
    edges = np.frombuffer(starts, "<u4") if isinstance(starts, bytes) else None
    values = _stored(stored, count if edges is None else len(edges) - 1, parts, number, field)
    if edges is not None:
        values = np.repeat(values, edges[1:].astype(np.int64) - edges[:-1])
    if len(values) != count:
        raise ValueError(f"{field.path} has {len(values)} values, there are {count} elements")
    return values


def _stored(stored: bytes, count: int, parts: Parsed, number: int, field: ElementField) -> Array:
    """Return a column's values in the field's own type."""
    own = field.dtype
    width, rest = divmod(len(stored), max(count, 1))
    if rest != 0:
        raise ValueError(f"{field.path} has {len(stored)} bytes for {count} values")
    scale, base = (parts.get(part * BAND + number) for part in (SCALE, BASE))
    if isinstance(scale, bytes) and isinstance(base, bytes):
        raw = np.zeros((count, 8), np.uint8)
        raw[:, :width] = np.frombuffer(stored, np.uint8).reshape(count, width)
        steps = raw.view("<u8").reshape(-1)
        first = float(np.frombuffer(base, "<f8")[0])
        if own.kind == "f":
            step = float(np.frombuffer(scale, "<f8")[0])
            return np.asarray(first + step * steps.astype(np.float64)).astype(own)
        return (steps.astype(np.int64) + int(first)).astype(own)
    if width == own.itemsize:
        return np.frombuffer(stored, own)
    if (own.kind, own.itemsize, width) == ("f", 8, 4):
        return np.frombuffer(stored, "<f4").astype(own)
    if (own.kind, own.itemsize, width) == ("i", 4, 1):  # enums whose numbers are small
        return np.frombuffer(stored, np.uint8).astype(own)
    raise ValueError(f"{field.path} is stored in {width} bytes per value")


def _single(data: bytes) -> Parsed:
    """Return the fields of a message as Google's library parses them. Raises DecodeError.

    Varints are numbers, all else is bytes. A field that comes twice is refused, but for padding.
    """
    message = Empty()
    message.ParseFromString(data)
    parsed: Parsed = {}
    unknown: Any = UnknownFieldSet(message)  # its types lack that it can be iterated over
    for field in unknown:
        number = field.field_number
        if number == OWN * BAND + 1:
            continue
        if number in parsed:
            raise ValueError(f"field {number} comes twice")
        size = FIXED.get(field.wire_type)
        parsed[number] = field.data if size is None else field.data.to_bytes(size, "little")
    return parsed


def _type_of(field: FieldDescriptor) -> Descriptor:
    if field.message_type is None:
        raise ValueError(f"{field.full_name} is no message")
    return field.message_type
