# SPDX-License-Identifier: Apache-2.0
"""PyArrow: arrays, chunked arrays, batches, tables, tensors and scalars."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from wirecost.messaging.tensor.arrow_arrays import plan_array, read_array, write_array
from wirecost.messaging.tensor.arrow_costs import afford
from wirecost.messaging.tensor.arrow_stream import read_stream, read_table, schema_of, write_stream
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.errors import FrameError, cause
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Handler, Writer

ROOTS = ("pyarrow",)
HAS_TABLES = True
PLUGIN_ORDER = 10
_KINDS = {"Table": "table", "RecordBatch": "batch", "ChunkedArray": "chunked", "Tensor": "tensor"}
_TABLES = frozenset({"table", "batch"})
_SCHEMAS: deque[tuple[Any, bytes]] = deque(maxlen=8)
"""Schemas of the latest types."""


def encoder(cls: type) -> Handler | None:
    """Return how whatever has one of these classes or is an Array or Scalar is written."""
    pa = load("pyarrow")
    if issubclass(cls, pa.Array):
        return _encode("array")
    if issubclass(cls, pa.Scalar):
        return _encode("scalar")
    kind = _KINDS.get(cls.__name__)
    return None if kind is None else _encode(kind)


def _encode(kind: str) -> Handler:
    def encode(writer: Writer, value: Any) -> Any:
        return writer.extension(2, ["pyarrow", kind, describe(kind, value, writer)])

    return encode


def from_capsule(value: Any) -> Any:
    """Return what an object that offers Arrow's capsules is here."""
    pa = load("pyarrow")
    if hasattr(value, "__arrow_c_stream__"):
        try:
            # First: some streams can be read once only, and those are of rows.
            return pa.table(value)
        except pa.ArrowInvalid:
            chunked = pa.chunked_array(value)
            if pa.types.is_struct(chunked.type):
                raise
            return chunked
    return pa.array(value)


def describe(kind: str, value: Any, writer: Writer) -> Any:
    """Return schema and buffers, which are not copied.

    Raises UserError for a type without a form.
    """
    pa = load("pyarrow")
    if kind == "tensor":
        return {"data": value.to_numpy(), "names": list(value.dim_names)}
    if kind == "scalar":
        kind, value = "array", pa.array([value.as_py()], value.type)
    if kind == "array":
        return {"schema": _schema(value.type), "chunks": [write_array(value, writer)]}
    if kind == "chunked":
        chunks = [write_array(chunk, writer) for chunk in value.chunks]
        return {"schema": _schema(value.type), "chunks": chunks}
    return {"stream": write_stream(value, writer)}


def _schema(type_: Any) -> bytes:
    for registered, schema in _SCHEMAS:
        if registered.equals(type_, check_metadata=True):
            return schema
    pa = load("pyarrow")
    schema = bytes(pa.schema([pa.field("", type_)]).serialize().to_pybytes())
    _SCHEMAS.appendleft((type_, schema))
    return schema


def restore(kind: str, body: Any, budget: Budget) -> Any:
    """Return it over received memory, validated, what has offsets by reading them."""
    pa = load("pyarrow", 'decode tables with as_="polars" or as_="pandas" where PyArrow is')
    if kind == "tensor":
        names = body["names"]
        return pa.Tensor.from_numpy(body["data"], names or None)
    if kind in _TABLES and "stream" in body:
        if kind == "table":
            return read_table(body["stream"], budget)
        _, (batch,) = read_stream(body["stream"], budget)
        return batch
    schema = schema_of(body["schema"], budget)
    if kind in {"array", "chunked", "scalar"}:
        chunks = [read_array(schema.field(0).type, chunk, budget) for chunk in body["chunks"]]
        if kind == "chunked":
            return pa.chunked_array(chunks, schema.field(0).type)
        return chunks[0][0] if kind == "scalar" else chunks[0]
    if kind not in _TABLES:
        raise ValueError(kind)
    return _table(pa, kind, schema, body, budget)


def plan(kind: str, body: Any) -> Callable[..., Any] | None:
    """Return what makes another array of numbers, or of lists of a fixed size of them."""
    if kind != "array":
        return None
    (node,) = body["chunks"]
    make = plan_array(schema_of(body["schema"], Budget(0)).field(0).type, node, count())
    return None if make is None else lambda *arrays: make(arrays)


def offered(body: Any, budget: Budget) -> Any:
    """Return the batches of a table for Polars by Arrow's C interface.

    That is quicker than the table itself.
    """
    pa = load("pyarrow")
    if "stream" not in body:
        table = restore("table", body, budget)
        afford(table.columns, "polars", budget)
        return table
    cached, batches = read_stream(body["stream"], budget)
    for batch in batches:
        afford([batch.column(index) for index in cached.growing], "polars", budget)
    return pa.RecordBatchReader.from_batches(cached.schema, batches)


def _table(pa: Any, kind: str, schema: Any, body: Any, budget: Budget) -> Any:
    columns = [
        [read_array(field.type, chunk, budget) for chunk in chunks]
        for field, chunks in zip(schema, body["columns"], strict=True)
    ]
    if not columns:
        rows = int(np.uint32(body["rows"]))
        budget.count("rows", rows)
        empty = pa.StructArray.from_buffers(pa.struct([]), rows, [None])
        batch = pa.RecordBatch.from_struct_array(empty)
        return batch if kind == "batch" else pa.Table.from_batches([batch])
    if kind == "batch":
        restored = pa.RecordBatch.from_arrays([chunks[0] for chunks in columns], schema=schema)
    else:
        arrays = [
            pa.chunked_array(chunks, field.type)
            for field, chunks in zip(schema, columns, strict=True)
        ]
        restored = pa.Table.from_arrays(arrays, schema=schema)
    try:
        restored.validate()
    except pa.ArrowInvalid as error:
        raise FrameError(f"frame: no Arrow table: {cause(error)}") from error
    return restored
