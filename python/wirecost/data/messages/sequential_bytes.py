# SPDX-License-Identifier: Apache-2.0
"""Bytes and values of each field of a message, on ``ros1`` and ``cdr``."""

from __future__ import annotations

import struct

from wirecost.data.messages import cdr
from wirecost.data.messages.shapes import is_list
from wirecost.data.messages.tally import SHORT_TEXT, Path, Tally
from wirecost.schema.compile.plan.sequential import PREFIX, Rules
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef, Schema

HEADER = "(header)"
MOST_EMPTY = 1 << 16
"""Messages without a byte that a message may consist of, besides those that have some."""
_MARKS = {Label.SINGLE: "", Label.REPEATED: "[]", Label.ARRAY: "[]"}
_LENGTHS = {order: struct.Struct(f"{order}I") for order in "<>"}


def walk(schema: Schema, top: Message, data: bytes, rules: Rules, tally: Tally) -> None:
    """Add each field to a tally. Raises ValueError on bytes that are no such message.

    Lengths belong to their field, and padding to the value behind it.
    """
    try:
        _Walk(schema, data, rules, tally).all(top)
    except struct.error as error:
        raise ValueError(f"ends within a length: {error}") from error


class _Walk:
    def __init__(self, schema: Schema, data: bytes, rules: Rules, tally: Tally) -> None:
        self._schema = schema
        self._rules = rules
        self._tally = tally
        self._own = tally.own
        self._header = cdr.HEADER_BYTES if rules.terminated else 0
        self._length_at = _LENGTHS[cdr.plain_order(data) if self._header else "<"]
        self._data = data
        self._size = len(data) - self._header
        self._at = 0
        """Behind the header, from which alignment is counted."""
        self._messages = 0

    def all(self, top: Message) -> None:
        if self._header:
            self._own[HEADER,] += self._header
        self._message(top, ())
        # Bytes after the last field, such as padding of some writers.
        self._own[HEADER,] += len(self._data) - self._header - self._at
        if not self._own[HEADER,]:
            del self._own[HEADER,]

    def _message(self, message: Message, outer: Path) -> None:
        self._messages += 1
        if self._messages > self._size + MOST_EMPTY:
            raise ValueError("more messages than bytes")
        for field in message.fields:
            self._field(field, (*outer, field.name + _MARKS[field.label]))

    def _field(self, field: Field, path: Path) -> None:
        begin = self._at
        count = 1
        if field.label is Label.REPEATED:
            count = self._length()
        elif field.label is Label.ARRAY:
            count = field.capacity or 0
        self._tally.values[path] += count
        if is_list(field):
            (self._tally.lists if count else self._tally.empty)[path] += 1
        if isinstance(field.type, MessageRef):
            self._own[path] += self._at - begin
            message = self._schema.message(field.type)
            if count > self._size:
                raise ValueError(f"more elements than bytes in {'.'.join(path)}")
            for _ in range(count):
                self._message(message, path)
            return
        assert isinstance(field.type, Kind)  # ROS has no enums
        if field.type is Kind.STRING:
            for _ in range(count):
                # It counts the NUL at the end, where there is one.
                length = self._length()
                self._at += length
                self._tally.long[path] += length - self._rules.terminated > SHORT_TEXT
                self._check(path)
        elif count or not is_list(field):
            width = field.type.width or 1
            self._align(width)
            self._at += width * count
        self._check(path)
        self._own[path] += self._at - begin

    def _check(self, path: Path) -> None:
        if self._at > self._size:
            raise ValueError(f"ends within {'.'.join(path)}")

    def _length(self) -> int:
        self._align(PREFIX)
        (length,) = self._length_at.unpack_from(self._data, self._header + self._at)
        self._at += PREFIX
        return int(length)

    def _align(self, width: int) -> None:
        self._at += -self._at % self._rules.alignment(width)
