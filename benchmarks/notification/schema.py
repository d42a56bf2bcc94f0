# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study of the notification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Count, Real, Scenario, columns
from wirecost.results.records.table_columns import AMOUNT, COUNT, TEXT


class NotificationRun(common.Message, kw_only=True):
    """``allocations`` and ``instructions`` of a message; None where nobody counted."""

    lang: str
    wire: str
    factor: Count
    allocations: Real | None
    instructions: Real | None
    malloc: str | None = None
    """The file that its malloc lay in; without it ``allocations`` are those of operator new."""


class NotificationMeta(common.Meta, kw_only=True):
    repetitions: Count
    processes: Count = 1
    seed: int
    contenders: Mapping[str, common.Codec]
    allocators: dict[str, str] = msgspec.field(default_factory=dict)
    """Their settings in words; the name follows the mode of contenders that run under one."""
    runs: Sequence[NotificationRun]


SCENARIO = Scenario(
    meta=NotificationMeta,
    columns=columns({"ns": AMOUNT, "lang": TEXT, "mode": TEXT, "wire": TEXT, "factor": COUNT}),
    stages=("fill", "size", "encode", "decode", "read", "destroy", "total", "move"),
    baseline=("protobuf", "new"),
    rivals=frozenset({"protobuf", "protobuf-current"}),
    facts=("allocations", "instructions"),
)
