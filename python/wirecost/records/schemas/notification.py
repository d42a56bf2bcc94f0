# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench notification``."""

from __future__ import annotations

import msgspec

from wirecost.records.schemas import common
from wirecost.records.schemas.common import Count, Real, Schema, columns
from wirecost.records.table_columns import AMOUNT, COUNT, TEXT


class About(common.About, kw_only=True):
    wire: str
    guarantees: str


class Run(common.Message, kw_only=True):
    """``allocations`` and ``instructions`` of a message; None where nobody counted."""

    lang: str
    wire: str
    factor: Count
    allocations: Real | None
    instructions: Real | None
    malloc: str | None = None
    """The file that its malloc lay in; without it ``allocations`` are those of operator new."""


class Meta(common.Meta, kw_only=True):
    repetitions: Count
    processes: Count = 1
    seed: int
    contenders: dict[str, About]
    allocators: dict[str, str] = msgspec.field(default_factory=dict)
    """Their settings in words; the name follows the mode of contenders that run under one."""
    runs: list[Run]


SCHEMA = Schema(
    Meta, columns({"ns": AMOUNT, "lang": TEXT, "mode": TEXT, "wire": TEXT, "factor": COUNT})
)
