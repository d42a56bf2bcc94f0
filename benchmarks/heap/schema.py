# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study of allocators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Count, Scenario, columns
from wirecost.results.records.table_columns import AMOUNT, COUNT, TEXT

COUNTED = replace(COUNT, nullable=True)
"""Column of callbacks, not of stresses of threads."""
WORK = replace(AMOUNT, nullable=True, optional=True)
"""Column of stresses; the first folders have none."""


class HeapAbout(common.About, kw_only=True):
    settings: str


class HeapRun(common.Message, kw_only=True):
    """``pattern`` is empty for callbacks."""

    pattern: str
    threads: Count


class HeapMeta(common.Meta, kw_only=True):
    samples: Count
    rounds: Count
    warmup: Count
    pairs: Count
    contenders: Mapping[str, HeapAbout]
    runs: Sequence[HeapRun]


SCENARIO = Scenario(
    meta=HeapMeta,
    baseline=("glibc", "defaults"),
    rivals=frozenset({"glibc"}),
    facts=("tail", "pattern"),
    columns=columns(
        {
            "ns": AMOUNT,
            "mode": TEXT,
            "round": replace(COUNT, optional=True),
            "minor_faults": COUNTED,
            "major_faults": COUNTED,
            "context_switches": COUNTED,
            "cpu_ns": WORK,
        }
    ),
)
