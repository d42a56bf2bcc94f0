# SPDX-License-Identifier: Apache-2.0
"""What a scenario's samples mean: its stages, and what everyone is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from wirecost.records.stages import OF_SENSOR_VIEW, STAGES

if TYPE_CHECKING:  # folders are checked by what this says of them
    from wirecost.records.folder import Results

RACE = ("case", "variant", "build", "fmi", "lang")
"""What names one race: contenders are compared within it only."""


@dataclass(frozen=True)
class Scenario:
    """What its samples and summary rows hold, and whom contenders are compared with."""

    stages: tuple[str, ...]
    baseline: tuple[str, str]
    """Contender and mode in which the incumbent is usually used."""
    incumbent: str = "protobuf"
    """What the incumbent's contenders' names start with; the best of them is a yardstick too."""
    usual: tuple[str, ...] = ()
    """Contenders that are baseline and incumbent instead where one takes part: whom people use on
    other wires, first come first."""
    best_codec: tuple[str, str] | None = None
    """Our best codec on the incumbent's wire, which is not one of the incumbent's contenders."""
    second_subject: frozenset[str] = frozenset()
    """Stages whose size and digest are those of ``subjects[1]``."""
    subjects: tuple[str, str] = ("message", "message")
    floor: Callable[[str], str] | None = None
    """By contender: the one, without a mode, that it cannot beat."""
    facts: tuple[str, ...] = ()
    """What its summary rows have beside the times: entries of a run in ``meta.json``, and what
    ``analysis.facts`` makes of the samples."""

    def incumbents(self, names: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], str]:
        """Baseline and incumbent among these contenders."""
        taking_part = {contender for contender, _ in names}
        found = next((one for one in self.usual if one in taking_part), None)
        return ((found, self.baseline[1]), found) if found else (self.baseline, self.incumbent)

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
    "lateness", "construct", "to_host", "compress", "encode", "publish", "transit", "decode",
    "decompress", "to_device", "access", "reply", "total",
)  # fmt: skip
SCENARIOS = {
    "osi": Scenario(
        STAGES,
        ("protobuf", ""),
        best_codec=("protobuf-view", ""),
        second_subject=frozenset(STAGES) - OF_SENSOR_VIEW,
        subjects=("sensor_view", "sensor_data"),
    ),
    "notification": Scenario(
        ("fill", "size", "encode", "decode", "read", "destroy", "total", "move"),
        ("protobuf", "new"),
        facts=("allocations", "instructions"),
    ),
    "lists": Scenario(
        ("encode", "decode", "total"),
        ("protobuf", "new"),
        best_codec=("wirecost-protobuf", "reused"),
        facts=("allocations", "elements", "compressed_bytes"),
    ),
    "replay": Scenario(("turnaround", "latency", "lateness"), ("", "")),
    "probe": Scenario(
        ("total",), ("floor", ""), incumbent="pmu_analyzer", facts=("counters",)
    ),
    "cloud": Scenario(
        ("total",),
        ("usual", "plain"),
        incumbent="recommended",
        facts=("study", "scan", "points", "heap", "counters"),
    ),
    "tensor": Scenario(
        TENSOR_STAGES,
        ("shm", ""),
        incumbent="wrapyfi",
        floor=raw_library,
        facts=(
            "ratio_floor", "plugin", "mware", "dtype", "shape", "pattern", "device", "rate",
            "asked_rate", "late", "most_lag_ns", "clock_bound_ns", "below_clock_bound", "lost",
            "bytes_per_s",
        ),
    ),
    "heap": Scenario(
        ("total",), ("glibc", "defaults"), incumbent="glibc", facts=("tail", "pattern")
    ),
    "map": Scenario(
        ("readable", "touch", "total"),
        ("copied", ""),
        incumbent="copied",
        facts=("memory_bytes", "map_memory_bytes"),
    ),
    "classes": Scenario(
        ("build", "rebuild", "encode", "parse", "reparse", "total"),
        ("protobuf", "fresh"),
        facts=("objects", "memory_bytes", "kept_bytes"),
    ),
    "transport": Scenario(
        ("lateness", "publish", "request", "total"),
        ("zeromq-tcp", "python default"),
        incumbent="ros1",
        facts=(
            "mware", "client", "settings", "pattern", "network", "size", "subscribers",
            "asked_rate", "rate", "queue", "reliable", "promise", "broken", "reproduce", "sent",
            "refused", "received", "lost", "duplicates", "reordered", "wrong", "checked", "usage",
            "machine_cpu_ns", "wire_bytes", "wire_bytes_back", "peak", "p999_ns", "max_ns",
            "lost_before",
        ),
    ),
    "message": Scenario(
        ("fill", "encode", "decode", "read", "destroy", "total"),
        ("protobuf", "new"),
        usual=("gencpp", "rosidl-fastrtps", "fast-cdr", "genpy", "rclpy", "rosbags"),
    ),
}  # fmt: skip


def scenario_of(results: Results) -> Scenario:
    return SCENARIOS[results.meta["scenario"]]


def with_all_columns(samples: pl.DataFrame) -> pl.DataFrame:
    """Samples of any scenario and schema with every column that names a race or contender, and the
    process of it that took them."""
    defaults: dict[str, Any] = {"lang": "", "mode": "", "process": 0}
    made = {
        name: pl.col(name).fill_null(value) if name in samples.columns else pl.lit(value)
        for name, value in defaults.items()
    }
    if "fmi" not in samples.columns:
        made["fmi"] = pl.lit(None, pl.Int64)
    return samples.with_columns(**made | {"process": made["process"].cast(pl.Int64)})
