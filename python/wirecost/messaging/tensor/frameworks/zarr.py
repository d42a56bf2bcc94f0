# SPDX-License-Identifier: Apache-2.0
"""Zarr: arrays are read whole and arrive in memory; groups with what is in them."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Handler, Writer, only_once
from wirecost.messaging.tensor.zarr_chunks import Chunks, Tree

ROOTS = ("zarr",)
PLUGIN_ORDER = 13
_DOCUMENT = "zarr.json"
_CHUNK_BYTES, _CHUNK_NANOSECONDS = 1024, 3_000
"""A chunk's price for whoever reads all of them."""


def encoder(cls: type) -> Handler | None:
    """Return how arrays and groups are written."""
    return {"Array": _array, "Group": _group}.get(cls.__name__)


def _array(writer: Writer, array: Any) -> Any:
    only_once(writer)
    data = np.asarray(array[...])
    writer.copied(data.nbytes)
    body = {"data": data, "chunks": list(array.chunks), "attributes": dict(array.attrs)}
    return writer.extension(2, ["zarr", "array", body])


def _group(writer: Writer, group: Any) -> Any:
    body = {"members": dict(group.members()), "attributes": dict(group.attrs)}
    return writer.extension(2, ["zarr", "group", body])


def restore(kind: str, body: Any, budget: Budget) -> Any:
    """Return an array in a memory store, which cuts chunks out of received memory when read."""
    zarr, storage = load("zarr"), load("zarr.storage")
    tree = Tree()
    store = storage.MemoryStore(tree)
    store.received = tree
    document = {"zarr_format": 3, "node_type": kind, "attributes": body["attributes"]}
    if kind == "group":
        tree.document(_DOCUMENT, document, budget)
        for name, member in body["members"].items():
            if name in {"", ".", ".."} or "/" in name:
                raise ValueError(f"a member {name:.40}")
            tree.put(name, member.store.received)
        return zarr.open_group(store, mode="r+")
    if kind != "array":
        raise ValueError(kind)
    data, shape = body["data"], tuple(max(int(n), 1) for n in body["chunks"])
    if not isinstance(data, np.ndarray):
        raise ValueError("no array")
    chunks = Chunks(data, shape)
    budget.take("a chunk", prod(shape) * data.itemsize)
    budget.take(
        f"{chunks.count:,} chunks", _CHUNK_BYTES * chunks.count, _CHUNK_NANOSECONDS * chunks.count
    )
    tree.arrays[""] = chunks
    document |= _form(data, shape)
    tree.document(_DOCUMENT, document, budget)
    return zarr.Array(zarr.AsyncArray(document, storage.StorePath(store)))


def _form(data: Any, chunks: tuple[int, ...]) -> dict[str, object]:
    """Return Zarr's document on an array whose chunks are stored as they lie."""
    # Inventions of a sender are not kept.
    data_type, fill_value = _element(data.dtype) if data.dtype.fields else _known(data.dtype)
    return {
        "shape": list(data.shape),
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill_value,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }


def _element(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return Zarr's names of a type and of its zero."""
    parsed = load("zarr.dtype").parse_dtype(dtype, zarr_format=3)
    zero = parsed.to_json_scalar(parsed.default_scalar(), zarr_format=3)
    return parsed.to_json(zarr_format=3), zero


_known = lru_cache(maxsize=64)(_element)
