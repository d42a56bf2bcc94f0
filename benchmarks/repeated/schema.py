# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Count, Real, Scenario, columns
from wirecost.results.records.table_columns import AMOUNT, COUNT, TEXT


class RepeatedRun(common.Message, kw_only=True):
    list: str
    elements: Count
    wire: str
    compressed_bytes: Count
    allocations: Real | None


class RepeatedMeta(common.Meta, kw_only=True):
    """``errors``: the largest of each reduced field of each list."""

    repetitions: Count
    processes: Count = 1
    seed: int
    zstd_level: int
    contenders: Mapping[str, common.Codec]
    errors: dict[str, dict[str, Real]]
    runs: Sequence[RepeatedRun]


STAGES = ("encode", "decode", "total")
NAME = "lists"
"""Name of the scenario in folders, which is older than the module's."""
SCENARIO = Scenario(
    meta=RepeatedMeta,
    columns=columns({"ns": AMOUNT, "mode": TEXT, "wire": TEXT, "elements": COUNT}),
    stages=STAGES,
    needed=STAGES,
    baseline=("protobuf", "new"),
    rivals=frozenset({"protobuf"}),
    best_codec=("wirecost-protobuf", "reused"),
    facts=("allocations", "elements", "compressed_bytes"),
)
