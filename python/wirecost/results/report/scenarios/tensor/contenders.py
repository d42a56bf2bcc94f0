# SPDX-License-Identifier: Apache-2.0
"""Kinds of contenders of the tensor scenario, comparable rows, and parts of a message's path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.tensor import TensorRun

WRAPYFI = "wrapyfi-"
RAW = "raw-"
SHM = "shm"
SENDING, WAITING = "publish", "rest of the transit"
PARTS = (
    "to host", "share", "compress", "encode", SENDING, WAITING, "transit", "decode", "decompress",
    "to device", "access", "reply",
)  # fmt: skip
"""The parts of a message's path, none of which overlaps another."""
VARIANTS = {"zeromq-tcp": "zeromq", "zenoh-shm": "zenoh"}
"""Transports that are a variant of another, over the same library."""


@dataclass(frozen=True)
class Group:
    """Rows that may stand in one figure or table: all but size, plugin and transport is equal."""

    dtype: str
    device: str
    pattern: str

    @property
    def title(self) -> str:
        parts = [self.dtype]
        parts += [] if self.device == "cpu" else [self.device]
        parts += [] if self.pattern == "pubsub" else ["requests and replies"]
        return " · ".join(parts)


def groups(rows: list[Row]) -> Iterator[tuple[Group, list[Row]]]:
    """Yield the rows of the stage total of each group."""
    totals = [row for row in rows if row.stage == "total"]
    for group in dict.fromkeys(group_of(row) for row in totals):
        yield group, [row for row in totals if group_of(row) == group]


def group_of(row: Row) -> Group:
    run = row.run_as(TensorRun)
    return Group(run.dtype, run.device, run.pattern)


def plugin_of(row: Row) -> str:
    """Return the kind of object that it sends; empty for floors, which send bytes."""
    return row.run_as(TensorRun).plugin


def shape_of(row: Row) -> str:
    return row.run_as(TensorRun).shape


def library(mware: str) -> str:
    """Return ``zeromq`` of ``zeromq-tcp``, ``raw-zeromq`` and ``wrapyfi-zeromq``."""
    plain = mware.removeprefix(RAW).removeprefix(WRAPYFI)
    return VARIANTS.get(plain, plain)


def is_wrapyfi(mware: str) -> bool:
    return mware.startswith(WRAPYFI)


def is_floor(row: Row) -> bool:
    """Say whether it sends bytes, no objects."""
    return not plugin_of(row)


def is_ours(row: Row) -> bool:
    return bool(plugin_of(row)) and not is_wrapyfi(row.contender)


def in_process(mware: str) -> bool:
    """Say whether nothing travels."""
    return mware == "memcpy" or mware.endswith("in-process")


def array_bytes(row: Row) -> int:
    """Return the size of the array itself, without a header."""
    extents = [int(part) for part in shape_of(row).split("x") if part]
    return int(np.prod(extents, dtype=np.int64)) * int(
        np.dtype(row.run_as(TensorRun).dtype).itemsize
    )


def ordered(rows: list[Row], names: list[str]) -> list[str]:
    """Sort transports by their least median over plugins."""
    least = {name: min(row.median_ns for row in rows if row.contender == name) for name in names}
    return sorted(names, key=lambda name: least[name])


@dataclass(frozen=True)
class StageShares:
    """Nanoseconds of each part that a contender has, in the order of ``PARTS``."""

    group: Group
    shape: str
    mware: str
    plugin: str
    ns: dict[str, float]
    nbytes: int
    """Bytes of a message."""

    @property
    def coding_ns(self) -> float:
        """Nanoseconds of encoding and decoding."""
        return self.ns.get("encode", 0.0) + self.ns.get("decode", 0.0)

    @property
    def coding_share(self) -> float:
        """Part of the time, without access, that is encoding and decoding."""
        whole = sum(ns for name, ns in self.ns.items() if name != "access")
        return self.coding_ns / whole if whole else 0.0


def shares_of(samples: pl.DataFrame) -> list[StageShares]:
    """Return the parts of all contenders that send objects, in the order of the samples.

    ``publish`` begins when ``transit`` does: message by message the sending call counts until it
    returns or the listener has the message, and what is left of the transit after it.
    """
    keys = ["dtype", "device", "pattern", "shape", "contender", "plugin"]
    all_shares = []
    objects = samples.filter(pl.col("plugin") != "")
    for key, part in objects.group_by(keys, maintain_order=True):
        dtype, device, pattern, shape, mware, plugin = map(str, key)
        wide = part.pivot("stage", index="repetition", values="ns")
        if {"publish", "transit"} <= set(wide.columns):
            sending = pl.min_horizontal("publish", "transit")
            rest = pl.col("transit") - sending
            wide = wide.with_columns(sending.alias(SENDING), rest.alias(WAITING)).drop("transit")
        wide = wide.rename({"to_host": "to host", "to_device": "to device"}, strict=False)
        medians = {name: wide[name].median() for name in PARTS if name in wide.columns}
        ns = {name: float(value) for name, value in medians.items() if isinstance(value, float)}
        nbytes = int(part["bytes"][0])
        all_shares.append(
            StageShares(Group(dtype, device, pattern), shape, mware, plugin, ns, nbytes)
        )
    return all_shares


def ours_between(rows: list[Row]) -> list[Row]:
    """Return our rows with an object between two processes."""
    return [row for row in rows if is_ours(row) and not in_process(row.contender)]
