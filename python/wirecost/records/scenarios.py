# SPDX-License-Identifier: Apache-2.0
"""What a scenario's samples mean: its stages, and what everyone is compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from wirecost.records.stages import OF_SENSOR_VIEW, STAGES

if TYPE_CHECKING:  # folders are checked by what this says of them
    from wirecost.records.folder import Results

RACE = ("case", "variant", "build", "fmi", "lang")
"""What names one race: contenders are compared within it only."""


@dataclass(frozen=True)
class Scenario:
    """``baseline``: contender and mode of the usual way of using the incumbent; ``incumbent``: what
    its contenders' names start with, the best of which is the other yardstick; ``sceptic``: the
    incumbent's wire with the best codec we have, which is not the incumbent."""

    stages: tuple[str, ...]
    baseline: tuple[str, str]
    incumbent: str = "protobuf"
    sceptic: tuple[str, str] | None = None
    second_subject: frozenset[str] = frozenset()
    """Stages whose size and digest are those of ``subjects[1]``."""
    subjects: tuple[str, str] = ("message", "message")

    floor: Callable[[str], str] | None = None
    """By contender: whom it cannot beat, which has no mode."""

    def subject(self, stage: str) -> str:
        """What a stage's ``bytes`` and ``digest`` belong to: their prefix in a run's record."""
        return self.subjects[stage in self.second_subject]


def raw_library(contender: str) -> str:
    """The transport's library, sending as many bytes by itself; another's is Wrapyfi's too. Within
    a process, a copy."""
    if contender.endswith("in-process") or contender == "memcpy":
        return "memcpy"
    return f"raw-{contender.removeprefix('raw-').removeprefix('wrapyfi-')}"


TENSOR_STAGES = (
    "lateness", "construct", "to_host", "encode", "publish", "transit", "decode", "access", "reply",
    "total",
)  # fmt: skip
SCENARIOS = {
    "osi": Scenario(
        STAGES,
        ("protobuf", ""),
        sceptic=("protobuf-view", ""),
        second_subject=frozenset(STAGES) - OF_SENSOR_VIEW,
        subjects=("sensor_view", "sensor_data"),
    ),
    "notification": Scenario(
        ("fill", "size", "encode", "decode", "read", "destroy", "total", "move"),
        ("protobuf", "new"),
    ),
    "lists": Scenario(
        ("encode", "decode", "total"),
        ("protobuf", "new"),
        sceptic=("wirecost-protobuf", "reused"),
    ),
    "replay": Scenario(("turnaround", "latency", "lateness"), ("", "")),
    "probe": Scenario(("total",), ("floor", ""), incumbent="pmu_analyzer"),
    "cloud": Scenario(("total",), ("usual", "plain"), incumbent="recommended"),
    "heap": Scenario(("total",), ("glibc", "defaults"), incumbent="glibc"),
    "tensor": Scenario(
        TENSOR_STAGES,
        ("shm", ""),
        incumbent="wrapyfi",
        floor=raw_library,
    ),
    "map": Scenario(("readable", "touch", "total"), ("copied", ""), incumbent="copied"),
}


def scenario_of(results: Results) -> Scenario:
    return SCENARIOS[results.meta["scenario"]]


def with_all_columns(samples: pl.DataFrame) -> pl.DataFrame:
    """Samples of any scenario and schema with every column that names a race or contender."""
    defaults = {"fmi": pl.lit(None, pl.Int64), "lang": pl.lit(""), "mode": pl.lit("")}
    missing = [value.alias(name) for name, value in defaults.items() if name not in samples.columns]
    return samples.with_columns(missing)
