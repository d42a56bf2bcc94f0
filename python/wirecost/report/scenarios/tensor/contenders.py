# SPDX-License-Identifier: Apache-2.0
"""Whose a contender of the tensor scenario is, and what of its runs belongs together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wirecost.analysis.race import Ratio
from wirecost.analysis.summary import Row

WRAPYFI = "wrapyfi-"
RAW = "raw-"
SHM = "shm"
VARIANTS = {"zeromq-tcp": "zeromq", "zenoh-shm": "zenoh"}
"""Transports that are a variant of another, over the same library."""


@dataclass(frozen=True)
class Group:
    """What may stand in one figure or table: everything but size, plugin and transport equal."""

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
    """The rows of the stage total of each group."""
    totals = [row for row in rows if row.stage == "total"]
    for group in dict.fromkeys(group_of(row) for row in totals):
        yield group, [row for row in totals if group_of(row) == group]


def group_of(row: Row) -> Group:
    return Group(row.facts["dtype"], row.facts["device"], row.facts["pattern"])


def plugin_of(row: Row) -> str:
    """The kind of object that it sends; empty for floors, which send bytes."""
    return str(row.facts["plugin"])


def shape_of(row: Row) -> str:
    return str(row.facts["shape"])


def floor_ratio(row: Row) -> Ratio | None:
    """To the library that the contender is built on, sending bytes by itself."""
    found: Ratio | None = row.facts["ratio_floor"]
    return found


def library(mware: str) -> str:
    """``zeromq`` of ``zeromq-tcp``, ``raw-zeromq`` and ``wrapyfi-zeromq``."""
    plain = mware.removeprefix(RAW).removeprefix(WRAPYFI)
    return VARIANTS.get(plain, plain)


def is_wrapyfi(mware: str) -> bool:
    return mware.startswith(WRAPYFI)


def is_floor(row: Row) -> bool:
    """Whether it sends bytes, no objects."""
    return not plugin_of(row)


def is_ours(row: Row) -> bool:
    return bool(plugin_of(row)) and not is_wrapyfi(row.contender)


def in_process(mware: str) -> bool:
    """Whether nothing travels."""
    return mware == "memcpy" or mware.endswith("in-process")


def array_bytes(row: Row) -> int:
    """Of the array itself, without a header."""
    extents = [int(part) for part in shape_of(row).split("x") if part]
    return int(np.prod(extents, dtype=np.int64)) * int(np.dtype(row.facts["dtype"]).itemsize)


def ordered(rows: list[Row], names: list[str]) -> list[str]:
    """Transports, the quickest in its median first: by each one's least median over plugins."""
    least = {name: min(row.median_ns for row in rows if row.contender == name) for name in names}
    return sorted(names, key=lambda name: least[name])
