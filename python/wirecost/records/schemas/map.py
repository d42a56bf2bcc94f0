# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench map``."""

from __future__ import annotations

from wirecost.records.schemas import common
from wirecost.records.schemas.common import Amount, Count, Schema, columns
from wirecost.records.table_columns import AMOUNT, COUNT


class About(common.About, kw_only=True):
    what: str


class Run(common.Run, kw_only=True):
    """Memory is None where nothing was published; the map's part of it may have become less."""

    subscribers: Count
    message_bytes: Amount
    message_digest: str
    memory_bytes: Count | None
    map_memory_bytes: int | None


class Meta(common.Meta, kw_only=True):
    repetitions: Count
    processes: Count = 1
    seed: int
    contenders: dict[str, About]
    runs: list[Run]


SCHEMA = Schema(Meta, columns({"ns": AMOUNT, "subscribers": COUNT}), ("readable", "touch", "total"))
