# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench tensor``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Amount, Count, Entry, Real, Scenario, columns
from wirecost.results.records.table_columns import COUNT, TEXT

SHAPE = re.compile(r"\d{1,12}(x\d{1,12}){0,31}")
LARGEST_ARRAY = 1 << 50
"""Bytes."""
NUMBERS = "biufc"
"""Kinds of NumPy's types."""


class TensorAbout(common.About, kw_only=True):
    """Copies as the transport counts them; None for what is none."""

    send_copies: Count | None = None
    receive_copies: Count | None = None
    aligned: bool | None = None


class TensorRun(common.Run, kw_only=True):
    """Rates in messages or bytes per second; ``late`` and clocks came later than the rest."""

    mode: str
    plugin: str
    mware: str
    dtype: str
    shape: str
    pattern: str
    device: str
    asked_rate: Amount
    rate: Amount | None
    sent: Count
    received: Count
    lost: Count
    late: Count | None = None
    most_lag_ns: int | None = None
    clock_offset_ns: int | None = None
    clock_bound_ns: int | None = None
    duplicates: Count
    reordered: Count
    bytes_per_s: Amount | None
    lost_without_pause: int | None
    message_bytes: Amount
    message_digest: str
    failure: str | None

    def __post_init__(self) -> None:
        if not SHAPE.fullmatch(self.shape):
            raise ValueError("not a shape such as 200x200")
        extents = math.prod(map(int, self.shape.split("x")))
        if not 0 < extents * _itemsize(self.dtype) <= LARGEST_ARRAY:
            raise ValueError("a shape and dtype that no array can have")
        if self.clock_bound_ns is not None and self.clock_offset_ns is None:
            raise ValueError("clock_bound_ns without clock_offset_ns")
        if self.late and self.most_lag_ns is None:
            raise ValueError("late without most_lag_ns")


class Listener(msgspec.Struct, kw_only=True):
    """The other machine."""

    host: str
    environment: dict[str, str] = {}
    wall_minus_monotonic_ns: dict[str, Entry] = {}


class TensorMeta(common.Meta, kw_only=True):
    trials: Count
    rate: Real
    content: str
    pattern: str
    warm_up: Count
    gc: str
    contenders: Mapping[str, TensorAbout]
    runs: Sequence[TensorRun]
    listener: Listener | None = None

    def __post_init__(self) -> None:
        seen: set[tuple[str, ...]] = set()
        for run in self.runs:
            who = (run.contender, run.plugin, run.dtype, run.shape, run.device, run.pattern)
            if who in seen or (run.mware, run.plugin) != (run.contender, run.mode):
                raise ValueError(f"two runs of {' '.join(who)}, or one with two names")
            seen.add(who)
            if run.contender not in self.contenders:
                raise ValueError(f"contenders lacks {run.contender}, which has a run")
            if run.clock_bound_ns is not None and self.listener is None:
                raise ValueError("a run between two machines without a listener")


def _itemsize(name: str) -> int:
    """0 for what is no type of numbers."""
    try:
        kind = np.dtype(name)
    except (TypeError, ValueError, SyntaxError):
        return 0
    return kind.itemsize if kind.kind in NUMBERS and kind.shape == () else 0


def raw_library(contender: str) -> str:
    """Return the transport's library, sending as many bytes by itself; another's is Wrapyfi's too.

    Within a process it is a copy.
    """
    if contender.endswith("in-process") or contender == "memcpy":
        return "memcpy"
    return f"raw-{contender.removeprefix('raw-').removeprefix('wrapyfi-')}"


WRAPYFI = ("zeromq", "websocket", "zenoh", "mqtt", "ros1", "ros2", "yarp", "in-process")
"""Its middlewares."""
PLUGIN_ORDER = 7
SCENARIO = Scenario(
    meta=TensorMeta,
    stages=(
        "lateness", "construct", "to_host", "compress", "encode", "publish", "transit", "decode",
        "decompress", "to_device", "access", "reply", "total",
    ),
    baseline=("shm", ""),
    rivals=frozenset(f"wrapyfi-{mware}" for mware in WRAPYFI),
    floor=raw_library,
    facts=(
        "ratio_floor", "plugin", "mware", "dtype", "shape", "pattern", "device", "rate",
        "asked_rate", "late", "most_lag_ns", "clock_bound_ns", "below_clock_bound", "lost",
        "bytes_per_s",
    ),
    columns=columns(
        {
            **dict.fromkeys(
                ("mode", "plugin", "mware", "dtype", "shape", "pattern", "device"), TEXT
            ),
            "round": replace(COUNT, optional=True),
        }
    ),
)  # fmt: skip
