# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Count, Scenario, columns
from wirecost.results.records.table_columns import AMOUNT, COUNT, TEXT


class ClassesRun(common.Message, kw_only=True):
    """A contender.

    ``memory_bytes``: what malloc gave for one message; ``kept_bytes``: what of it stays when the
    message is destroyed. Both None where nobody counts. ``malloc``: the file it lay in.
    """

    objects: Count
    memory_bytes: Count | None
    kept_bytes: int | None
    malloc: str


class ClassesMeta(common.Meta, kw_only=True):
    repetitions: Count
    processes: Count
    seed: int
    contenders: Mapping[str, common.About]
    allocators: dict[str, str]
    """Their settings in words; the name follows the mode of contenders that run under one."""
    runs: Sequence[ClassesRun]


STAGES = ("build", "rebuild", "encode", "parse", "reparse", "total")
SCENARIO = Scenario(
    meta=ClassesMeta,
    columns=columns({"ns": AMOUNT, "mode": TEXT, "objects": COUNT}),
    stages=STAGES,
    needed=STAGES,
    baseline=("protobuf", "fresh"),
    rivals=frozenset({"protobuf", "protobuf-current"}),
    facts=("objects", "memory_bytes", "kept_bytes"),
)
