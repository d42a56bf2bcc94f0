# SPDX-License-Identifier: Apache-2.0
"""Independent readers: each wire by its specification or by another library, never with a
contender's code. All return the values of a list by field, as the content has them."""

from __future__ import annotations

from functools import cache, reduce
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from wirecost.bench.program import SCHEMAS
from wirecost.bench.protobuf_fields import fields
from wirecost.bench.repeated.content import Array, Content
from wirecost.bench.repeated.program import Field, RepeatedField

BAND = 1 << 26
PRESENCE, OFFSETS, SCALE, BASE, CONSTANT, COLUMNS, OWN = range(1, 8)
"""What a column's number divided by BAND says (docs/formats/columns.md)."""

Parsed = dict[int, int | bytes]


def protobuf(repeated: RepeatedField, data: bytes) -> Content:
    """By Google's Python library. Raises ValueError."""
    message = message_factory.GetMessageClass(_descriptor(repeated.message))()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise ValueError(str(error)) from error
    rows = getattr(message, message.DESCRIPTOR.fields_by_number[repeated.rows].name)
    return {field.name: _values(rows, field) for field in repeated.fields}


def _values(rows: Any, field: Field) -> Array:
    path = field.name.split(".")
    values = [_at(row, path) for row in rows]
    return np.array(values, np.dtype(f"<{field.type}"))


def _at(row: Message, path: list[str]) -> Any:
    *around, last = path
    holder = reduce(getattr, around, row)
    if holder.DESCRIPTOR.fields_by_name[last].has_presence and not holder.HasField(last):
        raise ValueError(f"an element has no {'.'.join(path)}")
    return getattr(holder, last)


def ros1(repeated: RepeatedField, data: bytes) -> Content:
    """Raises ValueError."""
    record = np.dtype([(field.name, f"<{field.type}") for field in repeated.fields])
    count = int.from_bytes(data[:4], "little")
    if len(data) != 4 + count * record.itemsize:
        raise ValueError(f"{len(data)} bytes cannot hold {count} records of {record.itemsize}")
    rows = np.frombuffer(data, record, count, 4)
    return {field.name: rows[field.name] for field in repeated.fields}


def columns(repeated: RepeatedField, data: bytes) -> Content:
    """Raises ValueError."""
    columns_field = _single(data).get(COLUMNS * BAND + repeated.rows)
    if not isinstance(columns_field, bytes):
        raise ValueError("there are no columns")
    count = _single(columns_field).get(OWN * BAND)
    if not isinstance(count, int):
        raise ValueError("the columns do not say how many elements there are")
    row = _type_of(_descriptor(repeated.message).fields_by_number[repeated.rows])
    return {field.name: _column(field, columns_field, row, count) for field in repeated.fields}


def _column(field: Field, columns_field: bytes, row: Descriptor, count: int) -> Array:
    """The values of one field, which every element must have."""
    *around, last = field.name.split(".")
    parts = _single(columns_field)
    for name in around:
        number = row.fields_by_name[name].number
        if PRESENCE * BAND + number in parts:
            raise ValueError(f"some elements have no {name}")
        nested = parts.get(number)
        if not isinstance(nested, bytes):
            raise ValueError(f"no element has {name}")
        parts, row = _single(nested), _type_of(row.fields_by_name[name])
    number = row.fields_by_name[last].number
    if PRESENCE * BAND + number in parts:
        raise ValueError(f"some elements have no {field.name}")
    own = np.dtype(f"<{field.type}")
    constant = parts.get(CONSTANT * BAND + number)
    if isinstance(constant, bytes):
        # 8- and 16-bit integers come in four bytes, of which the low ones are the value.
        return np.repeat(np.frombuffer(constant[: own.itemsize], own), count)
    stored = parts.get(number)
    if not isinstance(stored, bytes):
        if row.fields_by_name[last].has_presence:
            raise ValueError(f"no element has {field.name}")
        return np.zeros(count, own)
    starts = parts.get(OFFSETS * BAND + number)
    edges = np.frombuffer(starts, "<u4") if isinstance(starts, bytes) else None
    many = count if edges is None else len(edges) - 1
    values = _stored(stored, many, parts, number, field)
    if edges is not None:
        values = np.repeat(values, edges[1:].astype(np.int64) - edges[:-1])
    if len(values) != count:
        raise ValueError(f"{field.name} has {len(values)} values, there are {count} elements")
    return values


def _stored(stored: bytes, many: int, parts: Parsed, number: int, field: Field) -> Array:
    """A column's values in the field's own type."""
    own = np.dtype(f"<{field.type}")
    width, rest = divmod(len(stored), max(many, 1))
    if rest != 0:
        raise ValueError(f"{field.name} has {len(stored)} bytes for {many} values")
    scale, base = (parts.get(k * BAND + number) for k in (SCALE, BASE))
    if isinstance(scale, bytes) and isinstance(base, bytes):
        raw = np.zeros((many, 8), np.uint8)
        raw[:, :width] = np.frombuffer(stored, np.uint8).reshape(many, width)
        whole = raw.view("<u8").reshape(-1)
        first = float(np.frombuffer(base, "<f8")[0])
        if own.kind == "f":
            step = float(np.frombuffer(scale, "<f8")[0])
            return np.asarray(first + step * whole.astype(np.float64)).astype(own)
        return (whole.astype(np.int64) + int(first)).astype(own)
    if width == own.itemsize:
        return np.frombuffer(stored, own)
    if (field.type, width) == ("f8", 4):
        return np.frombuffer(stored, "<f4").astype(own)
    if (field.type, width) == ("i4", 1):  # enums whose numbers are small
        return np.frombuffer(stored, np.uint8).astype(own)
    raise ValueError(f"{field.name} is stored in {width} bytes per value")


def _single(data: bytes) -> Parsed:
    """The fields of a message; what comes twice is refused, but for padding."""
    found: Parsed = {}
    for number, _, value in fields(data):
        if number == OWN * BAND + 1:
            continue
        if number in found:
            raise ValueError(f"field {number} comes twice")
        found[number] = value
    return found


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    for name in ("osi.fds", "lists_points.fds"):
        for file in descriptor_pb2.FileDescriptorSet.FromString((SCHEMAS / name).read_bytes()).file:
            pool.Add(file)
    return pool


def _descriptor(message: str) -> Descriptor:
    return _pool().FindMessageTypeByName(message)


def _type_of(field: FieldDescriptor) -> Descriptor:
    if field.message_type is None:
        raise ValueError(f"{field.full_name} is no message")
    return field.message_type


READERS = {"protobuf": protobuf, "ros1": ros1, "columns": columns}
