# SPDX-License-Identifier: Apache-2.0
"""Arrow tables as an IPC stream: one segment for all columns, whose buffers are not copied.

Arrow itself writes and reads the stream, so that a column costs no step in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.errors import UserError
from wirecost.tensor.arrow_messages import check_message
from wirecost.tensor.arrow_views import check_hidden_views, has_views
from wirecost.tensor.errors import FrameError
from wirecost.tensor.memory import Pieces
from wirecost.tensor.packages import load
from wirecost.tensor.writer import Writer

_MOST_KNOWN = 64
_MOST_KNOWN_BYTES = 1 << 20
_SCHEMAS: dict[bytes, tuple[Any, list[int]]] = {}
"""Schemas that were looked at, and which of their columns hold views, by their message; the table
is emptied when it is full."""


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
    """A Table, RecordBatch or RecordBatchReader as one segment.

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


def read_stream(memory: npt.NDArray[np.uint8]) -> tuple[Any, list[Any]]:
    """The schema and the batches over received memory. Everything is validated, what has offsets
    by reading them. Raises FrameError, and what PyArrow raises."""
    pa = load("pyarrow")
    if not isinstance(memory, np.ndarray) or memory.dtype != np.uint8 or memory.ndim != 1:
        raise FrameError("frame: an Arrow stream that is no bytes")
    whole = pa.py_buffer(memory)
    messages = list(_messages(pa, whole))
    if not messages:
        raise FrameError("frame: an Arrow stream without a schema")
    schema, views = _schema(pa, messages[0])
    if all(message.type == "record batch" for message in messages[1:]):
        batches = [pa.ipc.read_record_batch(message, schema) for message in messages[1:]]
    else:
        batches = list(pa.ipc.open_stream(whole))
    for batch in batches:
        batch.validate(full=True)
        for index in views:
            check_hidden_views(batch.column(index))
    return schema, batches


def read_table(memory: npt.NDArray[np.uint8]) -> Any:
    """The same as a Table."""
    schema, batches = read_stream(memory)
    if not batches:
        # PyArrow ends the program where it makes a data frame of columns without any chunk.
        return schema.empty_table()
    return load("pyarrow").Table.from_batches(batches, schema)


def _messages(pa: Any, whole: Any) -> Any:
    reader = pa.ipc.MessageReader.open_stream(whole)
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return
        body = message.body
        check_message(message.metadata.to_pybytes(), 0 if body is None else body.size)
        yield message


def _schema(pa: Any, message: Any) -> tuple[Any, list[int]]:
    if message.type != "schema":
        raise FrameError("frame: an Arrow stream does not begin with its schema")
    key = message.metadata.to_pybytes()
    found = _SCHEMAS.get(key)
    if found is None:
        schema = pa.ipc.read_schema(message)
        look_at_names(pa, schema)
        found = schema, [i for i, field in enumerate(schema) if has_views(field.type)]
        if len(key) <= _MOST_KNOWN_BYTES:
            if len(_SCHEMAS) >= _MOST_KNOWN:
                _SCHEMAS.clear()
            _SCHEMAS[key] = found
    return found


def look_at_names(pa: Any, schema: Any) -> None:
    """Raises UnicodeDecodeError for a name that is no UTF-8, rather than wherever somebody looks
    at the table."""
    for field in schema:
        _ = field.name
        _look_below(pa, field.type)


def _look_below(pa: Any, kind: Any) -> None:
    for index in range(kind.num_fields):
        _ = kind.field(index).name
        _look_below(pa, kind.field(index).type)
    if pa.types.is_dictionary(kind):
        _look_below(pa, kind.value_type)
