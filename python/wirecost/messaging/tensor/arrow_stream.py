# SPDX-License-Identifier: Apache-2.0
"""Arrow tables as an IPC stream: one segment for all columns, whose buffers are not copied.

Arrow itself writes and reads the stream, so that a column costs no step in Python.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.arrow_messages import check_message
from wirecost.messaging.tensor.arrow_types import family, has_views, inner_types, is_plain, may_grow
from wirecost.messaging.tensor.arrow_views import check_hidden_views, check_lengths
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.memory import Pieces
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Writer
from wirecost.system.errors import UserError

_PREFIX = struct.Struct("<II")
_MARK = 0xFFFFFFFF
"""Begins a message; its metadata's length follows."""
_MOST_KNOWN = 64
_MOST_KNOWN_BYTES = 1 << 16


class Known(NamedTuple):
    """A schema that was checked.

    ``views``: columns that hold views; ``growing``: those that may grow where they become another
    framework's; ``body_bytes``: bytes behind it that belong to its message.
    """

    schema: Any
    views: list[int]
    growing: list[int]
    body_bytes: int


_SCHEMAS: dict[bytes, Known] = {}
"""Schemas by their message; the table is emptied when it is full."""


class _Sink:
    """A file for Arrow that keeps what is written as it lies."""

    closed = False

    def __init__(self) -> None:
        self.pieces: list[memoryview] = []

    def write(self, data: Any) -> int:
        self.pieces.append(memoryview(data).cast("B"))
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def write_stream(value: Any, writer: Writer) -> Pieces:
    """Return a Table, RecordBatch or RecordBatchReader as one segment.

    Raises UserError for what IPC has no form for.
    """
    pa = load("pyarrow")
    sink = _Sink()
    # Arrow copies bitmaps and offsets of slices that do not start where a byte or a text does.
    before = pa.total_allocated_bytes()
    try:
        options = pa.ipc.IpcWriteOptions(allow_64bit=True)
        with pa.ipc.new_stream(sink, value.schema, options=options) as stream:
            if isinstance(value, pa.RecordBatchReader):
                for batch in value:
                    stream.write_batch(batch)
            else:
                stream.write(value)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UserError(f"pyarrow: a table cannot be sent: {error}") from error
    copied = pa.total_allocated_bytes() - before
    if copied > 0:
        writer.copied(copied)
    return Pieces(sink.pieces)


def read_stream(memory: npt.NDArray[np.uint8], budget: Budget) -> tuple[Known, list[Any]]:
    """Return the schema and the batches over received memory.

    Everything is validated, what has offsets by reading them. Raises FrameError, and what PyArrow
    raises.
    """
    pa = load("pyarrow")
    if not isinstance(memory, np.ndarray) or memory.dtype != np.uint8 or memory.ndim != 1:
        raise FrameError("frame: an Arrow stream that is not bytes")
    read: list[Piece] = []
    messages = list(_messages(pa, memory, budget, read))
    if not messages:
        raise FrameError("frame: an Arrow stream without a schema")
    cached = _schema(pa, messages[0])
    if all(message.type == "record batch" for message in messages[1:]):
        batches = [pa.ipc.read_record_batch(message, cached.schema) for message in messages[1:]]
    else:
        batches = list(pa.ipc.open_stream(opened(read)))
    for batch in batches:
        for index in cached.views:
            check_lengths(batch.column(index), budget)
        batch.validate(full=True)
        for index in cached.views:
            check_hidden_views(batch.column(index))
    return cached, batches


def read_table(memory: npt.NDArray[np.uint8], budget: Budget) -> Any:
    """Read the same as a Table."""
    cached, batches = read_stream(memory, budget)
    if not batches:
        # PyArrow ends the program where it makes a data frame of columns without any chunk.
        return cached.schema.empty_table()
    return load("pyarrow").Table.from_batches(batches, cached.schema)


def schema_of(stored: bytes, budget: Budget) -> Any:
    """Return the schema of arrays that came without a stream. Raises as ``read_stream``."""
    pa = load("pyarrow")
    message = next(_messages(pa, np.frombuffer(stored, np.uint8), budget, []), None)
    if message is None:
        raise FrameError("frame: an Arrow array without a schema")
    return _schema(pa, message).schema


def _messages(
    pa: Any, memory: npt.NDArray[np.uint8], budget: Budget, read: list[Piece]
) -> Iterator[Any]:
    """Yield each message, checked before Arrow sees it.

    A schema that was checked before is yielded as it was kept. Arrow sees the very metadata that
    was checked: shared memory may change. ``read``: gets the pieces of them all.
    """
    view, at = memoryview(cast(Any, memory)), 0
    while at + _PREFIX.size <= len(view):
        prefix = bytes(view[at : at + _PREFIX.size])
        mark, length = _PREFIX.unpack(prefix)
        if mark != _MARK:
            raise FrameError("frame: an Arrow message has no valid start")
        if not length:
            return
        body = at + _PREFIX.size + length
        if body > len(view):
            raise FrameError("frame: an Arrow message ends beyond its stream")
        metadata = bytes(view[at + _PREFIX.size : body])
        cached = None if at else _SCHEMAS.get(metadata)
        body_bytes = cached.body_bytes if cached else check_message(metadata, budget)
        at = body + body_bytes
        pieces = (prefix, metadata, view[body:at])
        read += pieces
        yield cached or pa.ipc.read_message(opened(pieces))


def _schema(pa: Any, message: Any) -> Known:
    """Raise FrameError, and what PyArrow raises; UnicodeDecodeError for a name that is no UTF-8."""
    if type(message) is Known:
        return message
    if message.type != "schema":
        raise FrameError("frame: an Arrow stream does not start with its schema")
    key = message.metadata.to_pybytes()
    cached = _SCHEMAS.get(key)
    if cached is None:
        schema = pa.ipc.read_schema(message)
        # Rather here than wherever somebody looks at the table.
        _ = schema.names
        kinds = [(i, kind) for i, kind in enumerate(schema.types) if not is_plain(kind)]
        for _, kind in kinds:
            _look_at_names(kind)
        views = [index for index, kind in kinds if has_views(kind)]
        growing = [index for index, kind in kinds if may_grow(kind)]
        cached = Known(schema, views, growing, message.body.size if message.body else 0)
        if len(key) <= _MOST_KNOWN_BYTES:
            if len(_SCHEMAS) >= _MOST_KNOWN:
                _SCHEMAS.clear()
            _SCHEMAS[key] = cached
    return cached


def _look_at_names(kind: Any) -> None:
    for index in range(kind.num_fields):
        _ = kind.field(index).name
    for inner in inner_types(kind, family(kind)):
        _look_at_names(inner)


Piece = bytes | memoryview
_NOTHING = memoryview(b"")


def opened(pieces: Iterable[Piece]) -> Any:
    """Open a file of Arrow's that reads these in order and copies none of them.

    A peer that shares the memory may change it at any time. Arrow reads metadata several times,
    also after it was checked; so it gets private copies, the bytes that were checked.

    ``pieces``: Arrow reads a message's beginning, its metadata and its body each at once, and so
    none of these may lie in two of them.
    """
    return load("pyarrow").PythonFile(_Source(pieces), "r")


class _Source:
    """File, as far as Arrow asks of one that it reads."""

    __slots__ = ("_at", "_piece", "_pieces")
    closed = False

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._pieces = iter(pieces)
        self._piece: Piece = _NOTHING
        self._at = 0

    def read(self, nbytes: int) -> Piece:
        """Read so many bytes at most; none at the end."""
        while self._at >= len(self._piece):
            following = next(self._pieces, None)
            if following is None:
                return _NOTHING
            self._piece, self._at = following, 0
        start = self._at
        self._at += nbytes
        return self._piece[start : self._at]
