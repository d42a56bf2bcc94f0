# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study of probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Count, Scenario, columns
from wirecost.results.records.table_columns import AMOUNT, TEXT


class ProbeAbout(common.About, kw_only=True):
    what: str
    system_calls: Count


class ProbeRun(common.Message, kw_only=True):
    what: str
    counters: list[str]
    system_calls: Count


class ProbeMeta(common.Meta, kw_only=True):
    """Contenders are named ``case: contender mode``."""

    repetitions: Count
    processes: Count = 1
    seed: int | None = None
    sections_of_a_sample: Count
    contenders: Mapping[str, ProbeAbout]
    runs: Sequence[ProbeRun]

    def __post_init__(self) -> None:
        for run in self.runs:
            name = f"{run.case}: {run.contender} {run.mode}".rstrip()
            if name not in self.contenders:
                raise ValueError(f"contenders lacks {name}, which has a run")


SCENARIO = Scenario(
    meta=ProbeMeta,
    columns=columns({"ns": AMOUNT, "mode": TEXT}),
    baseline=("floor", ""),
    rivals=frozenset({"pmu_analyzer"}),
    facts=("counters",),
)
