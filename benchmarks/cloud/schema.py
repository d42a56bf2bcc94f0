# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study of point clouds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Count, Real, Scenario, columns
from wirecost.results.records.table_columns import AMOUNT, COUNT, TEXT, WHOLE


class CloudAbout(common.About, kw_only=True):
    about: str


class CloudRun(common.Message, kw_only=True):
    """``scan`` is of rings; ``vertices``, ``inside`` (0 to 1) and ``ask`` are of areas."""

    study: str
    points: Count
    scan: str | None = None
    vertices: Count | None = None
    inside: Real | None = None
    ask: str | None = None
    heap: bool
    counters: dict[str, Real | None]

    def __post_init__(self) -> None:
        if self.study == "area" and None in {self.vertices, self.inside, self.ask}:
            raise ValueError("an area without vertices, inside or ask")


class CloudMeta(common.Meta, kw_only=True):
    samples: Count
    processes: Count = 1
    seconds: Real
    format: str
    rules: str
    seed: int
    contenders: Mapping[str, CloudAbout]
    runs: Sequence[CloudRun]


SCENARIO = Scenario(
    meta=CloudMeta,
    baseline=("usual", "plain"),
    rivals=frozenset({"recommended"}),
    facts=("study", "scan", "points", "heap", "counters"),
    columns=columns(
        {
            "ns": AMOUNT,
            "mode": TEXT,
            "study": TEXT,
            "points": COUNT,
            "value": WHOLE,
            "begin_ns": WHOLE,
            "counter:*": replace(AMOUNT, nullable=True),
        }
    ),
)
