# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``wirecost replay``, with their tables of inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Amount, Count, Real, Scenario, columns
from wirecost.results.records.table_columns import COUNT, TEXT, WHOLE, Columns


class ReplayRun(common.Run, kw_only=True):
    """A case: what a section, an output or an input took."""

    message_bytes: Amount
    message_digest: str


class ReplaySettings(msgspec.Struct, kw_only=True):
    """``None``: as recorded, or whatever the kernel chose."""

    recording: str
    node: str
    system: str
    cpu: int | None
    fifo: int | None
    heap: bool
    rate: Real
    consumed: bool
    loops: int
    player_cpu: int | None
    player_fifo: int | None = None
    connect_s: Real
    prime: bool


class Repeat(msgspec.Struct, kw_only=True):
    """A run of the node; counters are None where it was gone before they could be read."""

    minor_faults: int | None = None
    major_faults: int | None = None
    voluntary_switches: int | None = None
    involuntary_switches: int | None = None
    played_s: Real
    sent: Count
    outputs: Count
    exit_status: int | None


class Equality(msgspec.Struct, kw_only=True):
    what: str
    messages: Count
    difference: str | None
    skipped: Count = 0


class ReplayMeta(common.Meta, kw_only=True):
    """``complete``: folders from before it was kept are if nobody interrupted them."""

    repetitions: Count
    complete: bool | None = None
    contenders: Mapping[str, common.About]
    runs: Sequence[ReplayRun]
    settings: ReplaySettings
    repeats: list[Repeat]
    inputs: dict[str, Count]
    rules: dict[str, dict[str, Count]]
    equality: list[Equality]
    notes: list[str]

    def __post_init__(self) -> None:
        if self.complete is None:
            self.complete = not self.interrupted


PLUGIN_ORDER = 4
SCENARIO = Scenario(
    meta=ReplayMeta,
    columns=columns({"run": COUNT, "index": COUNT}),
    stages=("turnaround", "latency", "lateness"),
    needed=(),
    baseline=("", ""),
)

OUTPUTS: Columns = {
    "topic": TEXT,
    "index": COUNT,
    "repetition": replace(COUNT, optional=True),
    "digest": TEXT,
    "bytes": COUNT,
}
"""Columns of ``outputs.parquet`` to compare; the first folders were of one repetition."""

INPUTS: Columns = {
    "due_ns": WHOLE,
    "before_ns": WHOLE,
    "cause": replace(TEXT, nullable=True),
}
"""Columns of ``inputs.parquet`` to show."""
