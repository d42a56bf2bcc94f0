# SPDX-License-Identifier: Apache-2.0
"""Flatbuffers read without a schema: tables by the numbers of their fields.

Nothing is made of what is not asked for. A flatbuffer may refer to one part of it many times, so
that whoever reads all of it as a tree may make far more than it has bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

_U16, _U32, _I32, _I64 = map(struct.Struct, ("<H", "<I", "<i", "<q"))
_Places = tuple[int, ...]


def root(data: bytes) -> Table:
    """Return the outermost table. Raises struct.error."""
    return Table(data, {}, _U32.unpack_from(data)[0])


class Table:
    """A flatbuffer table. Raises struct.error outside its bytes."""

    __slots__ = ("_at", "_bytes", "_known", "_places")

    def __init__(self, data: bytes, known: dict[int, _Places], at: int) -> None:
        """Read a table; ``known``: where tables of a form have their fields, by its place."""
        self._bytes, self._known, self._at = data, known, at
        form = at - _I32.unpack_from(data, at)[0]
        places = known.get(form)
        if places is None:
            places = known[form] = self._form(form)
        self._places = places

    def _form(self, at: int) -> _Places:
        if at < 0:
            raise struct.error("a table before its message")
        count = max(_U16.unpack_from(self._bytes, at)[0] - 4, 0) // 2
        return struct.unpack_from(f"<{count}H", self._bytes, at + 4)

    def _place(self, field: int) -> int:
        offset = self._places[field] if field < len(self._places) else 0
        return self._at + offset if offset else 0

    def has(self, field: int) -> bool:
        return self._place(field) != 0

    def byte(self, field: int) -> int:
        place = self._place(field)
        return int(struct.unpack_from("B", self._bytes, place)[0]) if place else 0

    def long(self, field: int) -> int:
        place = self._place(field)
        return int(_I64.unpack_from(self._bytes, place)[0]) if place else 0

    def table(self, field: int) -> Table:
        return Table(self._bytes, self._known, self._target(field))

    def tables(self, field: int) -> Iterator[Table]:
        """Yield a vector of tables; none where it is missing."""
        if self.has(field):
            start = self._target(field)
            for at in range(start + 4, start + 4 + 4 * self._count(start, 4), 4):
                target = at + _U32.unpack_from(self._bytes, at)[0]
                yield Table(self._bytes, self._known, target)

    def count(self, field: int, size: int) -> int:
        """Return elements of a vector, each ``size`` bytes; 0 where it is missing."""
        return self._count(self._target(field), size) if self.has(field) else 0

    def pairs(self, field: int) -> npt.NDArray[Any]:
        """Return a vector of structs of two 64-bit numbers, (n, 2)."""
        if not self.has(field):
            return np.empty((0, 2), np.int64)
        start = self._target(field)
        count = self._count(start, 16)
        return np.frombuffer(self._bytes, "<i8", 2 * count, start + 4).reshape(-1, 2)

    def _count(self, start: int, size: int) -> int:
        count = int(_U32.unpack_from(self._bytes, start)[0])
        if start + 4 + size * count > len(self._bytes):
            raise struct.error("a vector beyond its message")
        return count

    def _target(self, field: int) -> int:
        place = self._place(field)
        if not place:
            raise struct.error("a part is missing")
        return place + int(_U32.unpack_from(self._bytes, place)[0])
