# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench repeated``."""

from __future__ import annotations

from wirecost.records.schemas import common
from wirecost.records.schemas.common import Count, Real, Schema, columns
from wirecost.records.table_columns import AMOUNT, COUNT, TEXT


class About(common.About, kw_only=True):
    wire: str
    guarantees: str


class Run(common.Message, kw_only=True):
    list: str
    elements: Count
    wire: str
    compressed_bytes: Count
    allocations: Real | None


class Meta(common.Meta, kw_only=True):
    """``errors``: the largest of each reduced field of each list."""

    repetitions: Count
    processes: Count = 1
    seed: int
    zstd_level: int
    contenders: dict[str, About]
    errors: dict[str, dict[str, Real]]
    runs: list[Run]


SCHEMA = Schema(
    Meta,
    columns({"ns": AMOUNT, "mode": TEXT, "wire": TEXT, "elements": COUNT}),
    ("encode", "decode", "total"),
)
