# SPDX-License-Identifier: Apache-2.0
"""Zarr: arrays are read whole and arrive in memory; groups with what is in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.tensor.packages import load
from wirecost.tensor.writer import Handler, Writer


def encoder(cls: type) -> Handler | None:
    """Arrays and groups."""
    return {"Array": _array, "Group": _group}.get(cls.__name__)


def _array(writer: Writer, array: Any) -> Any:
    data = np.asarray(array[...])
    writer.copied(data.nbytes)
    body = {"data": data, "chunks": list(array.chunks), "attributes": dict(array.attrs)}
    return writer.extension(2, ["zarr", "array", body])


def _group(writer: Writer, group: Any) -> Any:
    body = {"members": dict(group.members()), "attributes": dict(group.attrs)}
    return writer.extension(2, ["zarr", "group", body])


def restore(kind: str, body: Any) -> Any:
    """In a memory store, compressed by Zarr's default: this copies."""
    zarr = load("zarr")
    if kind == "group":
        group = zarr.create_group({}, attributes=body["attributes"])
        for name, member in body["members"].items():
            _put(group, name, member)
        return group
    if kind != "array":
        raise ValueError(kind)
    chunks = tuple(max(int(n), 1) for n in body["chunks"])
    return zarr.create_array({}, data=body["data"], chunks=chunks, attributes=body["attributes"])


def _put(group: Any, name: str, member: Any) -> None:
    attributes = dict(member.attrs)
    if hasattr(member, "members"):
        below = group.create_group(name, attributes=attributes)
        for inner, value in member.members():
            _put(below, inner, value)
    else:
        group.create_array(name, data=member[...], chunks=member.chunks, attributes=attributes)
