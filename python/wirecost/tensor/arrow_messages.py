# SPDX-License-Identifier: Apache-2.0
"""What a stranger's Arrow IPC message claims, looked at before Arrow makes anything of it.

Arrow checks that a message's metadata is sound and that its buffers lie in its body; here is
refused what would make it take more memory or time than the body has bytes.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.tensor.errors import FrameError

# Fields of the flatbuffer tables in Arrow's Message.fbs and Schema.fbs, by their number.
_HEADER_TYPE, _HEADER = 1, 2
_LENGTH, _NODES, _BUFFERS, _COMPRESSION = 0, 1, 2, 3
_DATA = 1
_ENDIANNESS = 0
_SCHEMA, _DICTIONARY_BATCH, _RECORD_BATCH = 1, 2, 3

_U16, _U32, _I32, _I64 = map(struct.Struct, ("<H", "<I", "<i", "<q"))
_MOST_WITHOUT_MEMORY = 1 << 26
"""Elements of types that take no memory, as null: others would make room for them."""


def check_message(metadata: bytes, body_bytes: int) -> None:
    """Raises FrameError for compression, foreign byte order, and for more elements or longer
    buffers than the body has room for."""
    try:
        message = _Table(metadata, _U32.unpack_from(metadata)[0])
        kind, header = message.byte(_HEADER_TYPE), message.table(_HEADER)
        if kind == _SCHEMA:
            if header.byte(_ENDIANNESS):
                raise FrameError("frame: an Arrow table of foreign byte order")
            return
        batch = header.table(_DATA) if kind == _DICTIONARY_BATCH else header
        if kind not in {_DICTIONARY_BATCH, _RECORD_BATCH}:
            raise FrameError(f"frame: an Arrow message of kind {kind} has no place in a table")
        if batch.has(_COMPRESSION):
            raise FrameError("frame: an Arrow table is compressed")
        rows, nodes, buffers = batch.long(_LENGTH), batch.pairs(_NODES), batch.pairs(_BUFFERS)
    except struct.error as error:
        raise FrameError(f"frame: an Arrow message cannot be read: {error}") from error
    most = max(rows, int(nodes[:, 0].max(initial=0)))
    if most > max(_MOST_WITHOUT_MEMORY, 8 * body_bytes):
        raise FrameError("frame: an Arrow table has more elements than memory")
    # Else a few bytes could be read as any number of columns.
    lengths = buffers[:, 1]
    if lengths.min(initial=0) < 0 or lengths.sum(dtype=float) > body_bytes:
        raise FrameError("frame: the buffers of an Arrow table are larger than its body")


class _Table:
    """A flatbuffer table. Raises struct.error outside its bytes."""

    __slots__ = ("_at", "_bytes", "_fields", "_fields_bytes")

    def __init__(self, data: bytes, at: int) -> None:
        self._bytes, self._at = data, at
        self._fields = at - _I32.unpack_from(data, at)[0]
        if self._fields < 0:
            raise struct.error("a table before its message")
        self._fields_bytes = _U16.unpack_from(data, self._fields)[0]

    def _place(self, field: int) -> int:
        entry = 4 + 2 * field
        if entry + 2 > self._fields_bytes:
            return 0
        offset: int = _U16.unpack_from(self._bytes, self._fields + entry)[0]
        return self._at + offset if offset else 0

    def has(self, field: int) -> bool:
        return self._place(field) != 0

    def byte(self, field: int) -> int:
        place = self._place(field)
        return int(struct.unpack_from("B", self._bytes, place)[0]) if place else 0

    def long(self, field: int) -> int:
        place = self._place(field)
        return int(_I64.unpack_from(self._bytes, place)[0]) if place else 0

    def table(self, field: int) -> _Table:
        return _Table(self._bytes, self._target(field))

    def _target(self, field: int) -> int:
        place = self._place(field)
        if not place:
            raise struct.error("a part is missing")
        return place + int(_U32.unpack_from(self._bytes, place)[0])

    def pairs(self, field: int) -> npt.NDArray[Any]:
        """A vector of structs of two 64-bit numbers, (n, 2)."""
        if not self.has(field):
            return np.empty((0, 2), np.int64)
        start = self._target(field)
        count = _U32.unpack_from(self._bytes, start)[0]
        if start + 4 + 16 * count > len(self._bytes):
            raise struct.error("a vector beyond its message")
        return np.frombuffer(self._bytes, "<i8", 2 * count, start + 4).reshape(-1, 2)
