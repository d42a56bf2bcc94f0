# SPDX-License-Identifier: Apache-2.0
"""The columns of a whole list of messages: what the generated classes inherit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

from .._wirecost import WireError
from .builder import Array, built
from .column import Group, Presence
from .columns_fields import ColumnsField, ColumnsFields
from .node import LIMIT, Node
from .reader import Reader
from .rows import gathered, written
from .wire import Buffer, tag_and_length, view_of
from .writer import Prepared

Row = TypeVar("Row")
MEMORY, MEMORY_PER_BYTE = 1 << 26, 256
"""Bytes that ``to_rows`` may take unless another limit is given: so many, and so many for each byte
of the columns."""


class Columns(Group, Generic[Row]):
    """All elements of a list of messages, field by field."""

    NODE: ClassVar[Node]
    COLUMNS_FIELDS: ClassVar[ColumnsFields]
    _size: int
    """Bytes that were read."""

    @classmethod
    def read(
        cls, buffer: Buffer, offset: int = 0, size: int | None = None, limit: int = LIMIT
    ) -> Self:
        """Return the columns that lie in ``buffer[offset : offset + size]``, all of it by default.

        They are read where they lie: keep the buffer unchanged. ``limit`` is the largest number of
        elements, also of those in repeated fields. Raises WireError, its position counted from the
        begin of the buffer.
        """
        view = view_of(buffer)
        end = len(view) if size is None else offset + size
        if not 0 <= offset <= end <= len(view):
            raise WireError(f"bytes {offset} to {end} do not lie in a buffer of {len(view)}")
        reader = Reader(view, limit)
        count, parts = reader.count(cls.NODE, offset, end)
        found = cls(cls.NODE, count, Presence(count))
        found._size = end - offset
        reader.fill(found, parts, found._presence)
        return found

    @classmethod
    def prepare(
        cls,
        count: int,
        values: Mapping[str, Any],
        *,
        present: Mapping[str, Array] | None = None,
        reductions: str | Mapping[str, str] | None = None,
    ) -> Prepared:
        """Columns of ``count`` elements from arrays, ready to be written into any buffer.

        ``values``: by field name what ``count`` elements have; of a message a mapping again, or
        its fields by dotted names. A scalar takes an array, a masked array, or one value for all;
        a text a sequence of str or bytes, None where it is absent; what is repeated a sequence of
        such, or ``Ragged(offsets, values)``. ``present``: by dotted name of shape (count,), which
        elements have a field or message, all that have what is around it by default.
        ``reductions``: by dotted name, or one for all columns that can take it, exact, auto,
        float32 or error:<largest error>; the schema's by default. Raises WireError.
        """
        root = built(cls.NODE, count, values, present or {})
        return Prepared(cls.NODE, root, reductions)

    @classmethod
    def build(
        cls,
        count: int,
        values: Mapping[str, Any],
        *,
        present: Mapping[str, Array] | None = None,
        reductions: str | Mapping[str, str] | None = None,
        position: int = 0,
    ) -> bytes:
        """Return the bytes of what ``prepare`` makes. Raises WireError.

        ``position`` is where they will stand in the whole message, for alignment.
        """
        prepared = cls.prepare(count, values, present=present, reductions=reductions)
        return prepared.to_bytes(position)

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Row],
        reductions: str | Mapping[str, str] | None = None,
        position: int = 0,
    ) -> bytes:
        """Return the columns of rows; see ``prepare`` and ``build``. Raises WireError."""
        return Prepared(cls.NODE, gathered(cls.NODE, rows), reductions).to_bytes(position)

    def to_rows(self, memory: int | None = None) -> list[Row]:
        """Return the same as messages.

        Few bytes can stand for many rows: raises WireError where they take more than ``memory``
        bytes, by default 64 MiB and 256 for each byte of the columns, or cannot be messages. Each
        row, field of a message and element of a repeated field counts 16 bytes, and a text its
        length besides.
        """
        return written(self, MEMORY + MEMORY_PER_BYTE * self._size if memory is None else memory)

    @classmethod
    def find(cls, buffer: Buffer, message: str | None = None) -> list[ColumnsField]:
        """Where columns of this type lie in the bytes of a message.

        ``message`` is that message's full name; by default that of the one message that has such a
        list itself. Nothing but what leads there is looked at. Raises WireError.
        """
        return cls.COLUMNS_FIELDS.find(view_of(buffer), message)

    @classmethod
    def tag_and_length(cls, size: int, field: str | None = None) -> bytes:
        """Return what stands before ``size`` bytes of columns in the message around them.

        ``field`` is the list, ``<message>.<field>``, if there are several. Raises WireError.
        """
        return tag_and_length(cls.COLUMNS_FIELDS.number(field), size)

    @classmethod
    def attach(
        cls,
        parent: bytes,
        columns: Prepared,
        field: str | None = None,
        position: int = 0,
    ) -> bytes:
        """Return the bytes of a message with columns behind them. Raises WireError.

        ``position`` is where ``parent`` will stand in the whole message.
        """
        start = position + len(parent) + len(cls.tag_and_length(0, field))
        content = columns.to_bytes(start)
        return b"".join((parent, cls.tag_and_length(len(content), field), content))
