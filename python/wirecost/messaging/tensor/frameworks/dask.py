# SPDX-License-Identifier: Apache-2.0
"""Dask: arrays and data frames are computed, and cut into chunks again."""

from __future__ import annotations

from math import isnan, prod
from typing import Any

import numpy as np

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Source
from wirecost.messaging.tensor.writer import Handler, Writer, only_once
from wirecost.system.errors import UserError

ROOTS = ("dask",)
PLUGIN_ORDER = 12
_TASK_BYTES, _TASK_NANOSECONDS = 1024, 3_000
_LABEL_BYTES = 16


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; what may compute anything is refused."""
    if cls.__name__ in {"Bag", "Delayed"}:
        raise UserError(f"dask: send what {cls.__name__.lower()}.compute() gives")
    if cls.__name__ == "Array":
        return _array
    return _frame if cls.__name__ in {"DataFrame", "Series"} else None


def _array(writer: Writer, array: Any) -> Any:
    if any(isnan(size) for chunks in array.chunks for size in chunks):
        raise UserError("dask: chunks of unknown size; call array.compute_chunk_sizes() first")
    only_once(writer)
    computed = np.asarray(array.compute())
    writer.copied(computed.nbytes)
    chunks = [list(map(int, sizes)) for sizes in array.chunks]
    return writer.extension(2, ["dask", "array", {"data": computed, "chunks": chunks}])


def _frame(writer: Writer, frame: Any) -> Any:
    only_once(writer)
    computed = frame.compute()
    writer.copied(int(computed.memory_usage(index=True).sum() if computed.ndim > 1 else 0))
    body = {"data": computed, "partitions": frame.npartitions}
    return writer.extension(2, ["dask", "dataframe", body])


def tensor(source: Source) -> Any:
    """Return one chunk, which Dask copies."""
    return load("dask.array", 'decode with as_="numpy"').from_array(source.numpy(), chunks=-1)


def restore(kind: str, body: Any, budget: Budget) -> Any:
    """Return chunks as the sender's; Dask copies what is one chunk."""
    if kind == "array":
        data, chunks = body["data"], tuple(map(tuple, body["chunks"]))
        if not isinstance(data, np.ndarray):
            raise ValueError("no array")
        count = prod(map(len, chunks))
        budget.take(f"{count:,} chunks", _TASK_BYTES * count, _TASK_NANOSECONDS * count)
        return load("dask.array").from_array(data, chunks=chunks)
    if kind == "dataframe":
        data, pandas = body["data"], load("pandas")
        # Dask's own computes something for each question, its length among them.
        if not isinstance(data, (pandas.DataFrame, pandas.Series)):
            raise ValueError("no table")
        partitions = min(max(int(body["partitions"]), 1), max(len(data), 1))
        # Dask looks for the borders of partitions among all labels, however few have memory.
        budget.take(f"{len(data):,} rows", _LABEL_BYTES * len(data))
        budget.take(
            f"{partitions:,} partitions", _TASK_BYTES * partitions, _TASK_NANOSECONDS * partitions
        )
        return load("dask.dataframe").from_pandas(data, npartitions=partitions)
    raise ValueError(kind)
