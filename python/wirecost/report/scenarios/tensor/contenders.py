# SPDX-License-Identifier: Apache-2.0
"""Whose a contender of the tensor scenario is, and what of its runs belongs together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wirecost.analysis.summary import Row

WRAPYFI = "wrapyfi-"
RAW = "raw-"
SHM = "shm"
VARIANTS = {"zeromq-tcp": "zeromq", "zenoh-shm": "zenoh"}
"""Transports that are another's library in another way."""


@dataclass(frozen=True)
class Group:
    """What may stand in one figure or table: everything but size, plugin and transport equal."""

    dtype: str
    device: str
    pattern: str

    @property
    def title(self) -> str:
        told = [self.dtype]
        told += [] if self.device == "cpu" else [self.device]
        told += [] if self.pattern == "pubsub" else ["requests and replies"]
        return " · ".join(told)


def groups(rows: list[Row]) -> Iterator[tuple[Group, list[Row]]]:
    """The rows of the stage total of each group."""
    totals = [row for row in rows if row.stage == "total"]
    for group in dict.fromkeys(group_of(row) for row in totals):
        yield group, [row for row in totals if group_of(row) == group]


def group_of(row: Row) -> Group:
    return Group(row.dtype or "", row.device or "", row.pattern or "")


def library(mware: str) -> str:
    """``zeromq`` of ``zeromq-tcp``, ``raw-zeromq`` and ``wrapyfi-zeromq``."""
    plain = mware.removeprefix(RAW).removeprefix(WRAPYFI)
    return VARIANTS.get(plain, plain)


def is_wrapyfi(mware: str) -> bool:
    return mware.startswith(WRAPYFI)


def is_floor(row: Row) -> bool:
    """Whether it sends bytes, no objects."""
    return not row.plugin


def is_ours(row: Row) -> bool:
    return bool(row.plugin) and not is_wrapyfi(row.contender)


def in_process(mware: str) -> bool:
    """Whether nothing travels."""
    return mware == "memcpy" or mware.endswith("in-process")


def array_bytes(row: Row) -> int:
    """Of the array itself, without a header."""
    extents = [int(part) for part in (row.shape or "").split("x") if part]
    return int(np.prod(extents, dtype=np.int64)) * np.dtype(row.dtype or "uint8").itemsize


def ordered(rows: list[Row], names: list[str]) -> list[str]:
    """Transports, the quickest in its median first: by each one's least median over plugins."""
    least = {name: min(row.median_ns for row in rows if row.contender == name) for name in names}
    return sorted(names, key=lambda name: least[name])
