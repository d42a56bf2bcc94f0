# SPDX-License-Identifier: Apache-2.0
"""Claims of a stranger's Arrow IPC message, looked at before Arrow makes anything of it.

Arrow checks that a message's metadata is sound and that its buffers lie in its body; here is
refused what would make it take more memory or time than the message has bytes.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from wirecost.messaging.tensor import native
from wirecost.messaging.tensor.budget import MOST_WITHOUT_MEMORY, Budget
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.flatbuffer import Table, root

# Fields of the flatbuffer tables in Arrow's Message.fbs and Schema.fbs, by their number.
_HEADER_TYPE, _HEADER, _BODY_BYTES, _MESSAGE_METADATA = 1, 2, 3, 4
_LENGTH, _NODES, _BUFFERS, _COMPRESSION = 0, 1, 2, 3
_DATA, _IS_DELTA = 1, 2
_ENDIANNESS, _FIELDS, _SCHEMA_METADATA = 0, 1, 2
_NAME, _TYPE_KIND, _TYPE, _CHILDREN, _FIELD_METADATA = 0, 2, 3, 5, 6
_KEY, _VALUE = 0, 1
_ZONE, _TYPE_IDS = 1, 1
_SCHEMA, _DICTIONARY_BATCH, _RECORD_BATCH = 1, 2, 3
_TIMESTAMP, _UNION = 10, 14

_FIELD_BYTES, _PAIR_BYTES = 32, 16
"""The least that a field, and a pair of metadata, has in a message beside its texts."""
_MOST_NESTED = 64
_quickly: Any = native.binding.arrow_batch if native.binding else None
_NODE_BYTES, _BUFFER_BYTES = 300, 100
"""Bytes that Arrow takes for an array and for a buffer of it, beside their memory."""


class Batch(NamedTuple):
    """Description of a record batch by itself.

    ``longest``: elements of its longest array; ``filled``: bytes of all of its buffers.
    """

    body_bytes: int
    rows: int
    arrays: int
    longest: int
    buffers: int
    filled: float


def check_message(metadata: bytes, budget: Budget) -> int:
    """Return bytes of the message's body.

    Raises FrameError for compression, foreign byte order, dictionaries in parts, schemas that are
    larger as a tree than as a message, and for more elements or longer buffers than the body has
    room for.
    """
    message = _quickly(metadata) if _quickly else None
    batch = _batch(metadata) if message is None else Batch._make(message)
    if isinstance(batch, int):
        return batch
    budget.take("an Arrow table", _NODE_BYTES * batch.arrays + _BUFFER_BYTES * batch.buffers)
    if max(batch.rows, batch.longest) > max(MOST_WITHOUT_MEMORY, 8 * batch.body_bytes):
        raise FrameError("frame: an Arrow table has more elements than memory")
    # Else a few bytes could be read as any number of columns.
    if batch.filled > batch.body_bytes:
        raise FrameError("frame: the buffers of an Arrow table are larger than its body")
    return batch.body_bytes


def _batch(metadata: bytes) -> Batch | int:
    """Return a record batch or that of a dictionary; of a schema, the body's bytes.

    Raises FrameError.
    """
    try:
        message = root(metadata)
        kind, header = message.byte(_HEADER_TYPE), message.table(_HEADER)
        body_bytes = message.long(_BODY_BYTES)
        if body_bytes < 0:
            raise FrameError("frame: an Arrow message has a body of negative size")
        if message.has(_MESSAGE_METADATA):
            _pairs(message, _MESSAGE_METADATA, len(metadata))
        if kind == _SCHEMA:
            if header.byte(_ENDIANNESS):
                raise FrameError("frame: an Arrow table of foreign byte order")
            _tree(header, len(metadata))
            return body_bytes
        batch = header.table(_DATA) if kind == _DICTIONARY_BATCH else header
        if kind not in {_DICTIONARY_BATCH, _RECORD_BATCH}:
            raise FrameError(f"frame: an Arrow message of kind {kind} has no place in a table")
        if kind == _DICTIONARY_BATCH and header.byte(_IS_DELTA):
            # Arrow copies what is there for each part that is added.
            raise FrameError("frame: an Arrow table's dictionary comes in parts")
        if batch.has(_COMPRESSION):
            raise FrameError("frame: an Arrow table is compressed")
        rows, nodes, buffers = batch.long(_LENGTH), batch.pairs(_NODES), batch.pairs(_BUFFERS)
    except struct.error as error:
        raise FrameError(f"frame: an Arrow message cannot be read: {error}") from error
    lengths = buffers[:, 1]
    if lengths.min(initial=0) < 0:
        raise FrameError("frame: the buffers of an Arrow table are larger than its body")
    longest, filled = int(nodes[:, 0].max(initial=0)), float(lengths.sum(dtype=float))
    return Batch(body_bytes, rows, len(nodes), longest, len(buffers), filled)


def _tree(schema: Table, bytes_left: int) -> None:
    """Raise FrameError where parts of a schema are referred to many times.

    Arrow would make each as often.
    """
    bytes_left = _pairs(schema, _SCHEMA_METADATA, bytes_left)
    levels = [schema.tables(_FIELDS)]
    while levels:
        for field in levels[-1]:
            bytes_left = _spend(
                bytes_left, _FIELD_BYTES + field.count(_NAME, 1) + _type_bytes(field)
            )
            if field.has(_FIELD_METADATA):
                bytes_left = _pairs(field, _FIELD_METADATA, bytes_left)
            if field.count(_CHILDREN, 4):
                levels.append(field.tables(_CHILDREN))
                break
        else:
            levels.pop()
        if len(levels) > _MOST_NESTED:
            raise FrameError("frame: the types of an Arrow schema nest too deeply")


def _type_bytes(field: Table) -> int:
    kind = field.byte(_TYPE_KIND)
    if kind == _TIMESTAMP:
        return field.table(_TYPE).count(_ZONE, 1)
    return 4 * field.table(_TYPE).count(_TYPE_IDS, 4) if kind == _UNION else 0


def _pairs(table: Table, number: int, bytes_left: int) -> int:
    """Return what is left behind a vector of keys and values."""
    for pair in table.tables(number):
        bytes_left = _spend(bytes_left, _PAIR_BYTES + pair.count(_KEY, 1) + pair.count(_VALUE, 1))
    return bytes_left


def _spend(left: int, nbytes: int) -> int:
    if nbytes > left:
        raise FrameError("frame: an Arrow schema refers to the same parts many times")
    return left - nbytes
