# SPDX-License-Identifier: Apache-2.0
"""The summary rows of a result folder: what ``--json`` holds and every table shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from wirecost.analysis.intervals import Array, Estimate, Resampler, median, ratio
from wirecost.records.folder import Results
from wirecost.records.stages import OF_SENSOR_VIEW, STAGES

BASELINE = "protobuf"
RACE = ["case", "variant", "build", "fmi"]
"""What names one race: contenders are compared within it only."""


@dataclass(frozen=True)
class Ratio:
    """How a median compares with another contender's of the same stage."""

    to: str
    median: float
    ci95: tuple[float, float]


@dataclass(frozen=True)
class Row:
    """One stage of one contender; times in nanoseconds, sizes in bytes."""

    case: str
    contender: str
    variant: str
    build: str
    fmi: int
    stage: str
    n: int
    median_ns: float
    p5_ns: float
    p95_ns: float
    p99_ns: float
    ci95_ns: tuple[float, float]
    bytes: int
    digest: str
    ratio: Ratio | None
    ratio_best: Ratio | None

    @property
    def race(self) -> tuple[str, str, str, int]:
        return self.case, self.variant, self.build, self.fmi


def summarize(results: Results) -> list[Row]:
    """Rows in the order in which the races were run, stages in their own order."""
    runs = {
        (run["case"], run["variant"], run["build"], run["fmi"], run["contender"]): run
        for run in results.meta["runs"]
    }
    wires = {name: about["wire"] for name, about in results.meta["contenders"].items()}
    rows: list[Row] = []
    for key, race in results.samples.group_by(RACE, maintain_order=True):
        rows += _race_rows(key, race, runs, wires)
    return rows


def document(results: Results, rows: list[Row]) -> dict[str, Any]:
    """What ``--json`` writes."""
    meta = results.meta
    return {
        "schema": meta["schema"],
        "scenario": meta["scenario"],
        "environment": meta["environment"],
        "interrupted": meta["interrupted"],
        "failures": [
            {key: run[key] for key in (*RACE, "contender", "failure")}
            for run in meta["runs"]
            if run["failure"]
        ],
        "rows": [asdict(row) for row in rows],
    }


def _race_rows(
    key: tuple[Any, ...],
    race: pl.DataFrame,
    runs: dict[tuple[Any, ...], dict[str, Any]],
    wires: dict[str, str],
) -> list[Row]:
    names = race["contender"].unique(maintain_order=True).to_list()
    # A race cut short ends within a turn: compare only what every contender has.
    complete = min(
        int(part["repetition"].max()) + 1  # type: ignore[arg-type]  # integers by schema
        for part in race.partition_by("contender")
    )
    series: dict[tuple[str, str], Array] = {
        (str(name), str(stage)): part["ns"].to_numpy().astype(np.float64)
        for (name, stage), part in race.filter(pl.col("repetition") < complete).group_by(
            ["contender", "stage"], maintain_order=True
        )
    }
    resampler = Resampler(complete)
    resampled = {which: resampler.medians(samples) for which, samples in series.items()}
    best = _best_protobuf(names, series, wires)

    def compare(name: str, stage: str, to: str | None) -> Ratio | None:
        if to is None or (to, stage) not in series:
            return None
        mine, theirs = (name, stage), (to, stage)
        found = ratio(series[mine], resampled[mine], series[theirs], resampled[theirs])
        return Ratio(to, found.value, (found.low, found.high)) if found else None

    rows = []
    for name in names:
        run = runs[(*key, name)]
        for stage in STAGES:
            samples = series[name, stage]
            middle: Estimate = median(samples, resampled[name, stage])
            p5, p95, p99 = np.percentile(samples, [5, 95, 99])
            of = "sensor_view" if stage in OF_SENSOR_VIEW else "sensor_data"
            rows.append(
                Row(
                    case=key[0],
                    contender=name,
                    variant=key[1],
                    build=key[2],
                    fmi=key[3],
                    stage=stage,
                    n=len(samples),
                    median_ns=middle.value,
                    p5_ns=float(p5),
                    p95_ns=float(p95),
                    p99_ns=float(p99),
                    ci95_ns=(middle.low, middle.high),
                    bytes=run[f"{of}_bytes"],
                    digest=run[f"{of}_digest"],
                    ratio=compare(name, stage, BASELINE if BASELINE in names else None),
                    ratio_best=compare(name, stage, best),
                )
            )
    return rows


def _best_protobuf(
    names: list[str], series: dict[tuple[str, str], Array], wires: dict[str, str]
) -> str | None:
    """The Protobuf mode with the least total: the incumbent at its best."""
    modes = [name for name in names if wires[name] == "protobuf"]
    return min(modes, key=lambda name: float(np.median(series[name, "total"])), default=None)
