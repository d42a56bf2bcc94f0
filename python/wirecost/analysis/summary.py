# SPDX-License-Identifier: Apache-2.0
"""The summary rows of a result folder: what ``--json`` holds and every table shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from wirecost.analysis.intervals import Array, Estimate, Resampler, median, ratio
from wirecost.analysis.tail import Tail, tail_of
from wirecost.records.folder import Results
from wirecost.records.scenarios import RACE, Scenario, scenario_of, with_all_columns

Name = tuple[str, str]
"""A contender and its mode; scenarios without modes have the empty one."""

OF_TENSORS = ("plugin", "mware", "dtype", "shape", "pattern", "device", "rate", "asked_rate",
              "late", "most_lag_ns", "lost", "bytes_per_s")  # fmt: skip
"""What rows of the tensor scenario take from their run as it is."""


@dataclass(frozen=True)
class Ratio:
    """How a median compares with another contender's of the same stage."""

    to: str
    """The other contender, with its mode if it has one."""
    median: float
    ci95: tuple[float, float]


@dataclass(frozen=True)
class Row:
    """One stage of one contender; times in nanoseconds, sizes in bytes."""

    case: str
    contender: str
    variant: str
    build: str
    fmi: int | None
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
    ratio_sceptic: Ratio | None = None
    """To the incumbent's wire with our own best codec, where the scenario has such a contender."""
    lang: str = ""
    mode: str = ""
    allocations: float | None = None
    """A message; where the scenario counts them."""
    instructions: float | None = None
    elements: int | None = None
    """Of the list that the message is; where the scenario sends lists."""
    compressed_bytes: int | None = None
    """The message after general-purpose compression; where the scenario looks at it."""
    tail: Tail | None = None
    """Where the scenario counts page faults."""
    memory_bytes: int | None = None
    """Pss of all processes together; where the scenario shares memory or copies it."""
    map_memory_bytes: int | None = None
    """What of it came with the map."""
    study: str | None = None
    """Of the cloud scenario, as the following."""
    scan: str | None = None
    points: int | None = None
    heap: bool | None = None
    counters: dict[str, float | None] | None = None
    """Means of a callback; null for what the machine does not count."""
    ratio_floor: Ratio | None = None
    """To the library that a contender is built on, sending bytes by itself: as the following, of
    the tensor scenario."""
    plugin: str | None = None
    mware: str | None = None
    dtype: str | None = None
    shape: str | None = None
    pattern: str | None = None
    device: str | None = None
    rate: float | None = None
    """Messages a second."""
    asked_rate: float | None = None
    late: int | None = None
    """Messages begun a tenth of a period or more after they were due, of the tensor scenario."""
    most_lag_ns: int | None = None
    """The most that one was."""
    clock_bound_ns: int | None = None
    """The most that times between two machines are wrong by; None where there is one clock."""
    below_clock_bound: bool | None = None
    """Whether the median is smaller than that, and so says only that."""
    lost: int | None = None
    bytes_per_s: float | None = None
    """Of messages sent without pause, as they arrived."""

    @property
    def race(self) -> tuple[str, str, str, int | None, str]:
        return self.case, self.variant, self.build, self.fmi, self.lang

    @property
    def name(self) -> str:
        return label((self.contender, self.mode))


def label(name: Name) -> str:
    """``wirecost-ros1 reused``."""
    return " ".join(part for part in name if part)


def summarize(results: Results) -> list[Row]:
    """Rows in the order in which the races were run, stages in their own order."""
    runs = {
        (*(run.get(column) for column in RACE[:-1]), run.get("lang", ""), run["contender"],
         run.get("mode", "")): run
        for run in results.meta["runs"]
    }  # fmt: skip
    scenario = scenario_of(results)
    rows: list[Row] = []
    samples = with_all_columns(results.samples)
    for key, race in samples.group_by(RACE, maintain_order=True):
        rows += _race_rows(key, race, runs, scenario)
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
            {key: run[key] for key in (*RACE, "contender", "mode", "failure") if key in run}
            for run in meta["runs"]
            if run["failure"]
        ],
        "not_run": meta.get("not_run", {}),
        "rows": [asdict(row) for row in rows],
    }


def _race_rows(
    key: tuple[Any, ...],
    race: pl.DataFrame,
    runs: dict[tuple[Any, ...], dict[str, Any]],
    scenario: Scenario,
) -> list[Row]:
    columns = ["contender", "mode"]
    names: list[Name] = race.select(columns).unique(maintain_order=True).rows()
    # A race cut short ends within a turn: compare only what every contender has.
    complete = min(
        int(part["repetition"].max()) + 1  # type: ignore[arg-type]  # integers by schema
        for part in race.partition_by(columns)
    )
    series: dict[tuple[Name, str], Array] = {
        ((str(contender), str(mode)), str(stage)): part["ns"].to_numpy().astype(np.float64)
        for (contender, mode, stage), part in race.filter(pl.col("repetition") < complete).group_by(
            [*columns, "stage"], maintain_order=True
        )
    }
    resampler = Resampler(complete)
    resampled = {which: resampler.medians(samples) for which, samples in series.items()}
    best = _best_incumbent(names, series, scenario)
    tails = {
        name: tail_of(race.filter(contender=name[0], mode=name[1], stage="total")) for name in names
    }

    def compare(name: Name, stage: str, to: Name | None) -> Ratio | None:
        if to is None or (to, stage) not in series:
            return None
        mine, theirs = (name, stage), (to, stage)
        found = ratio(series[mine], resampled[mine], series[theirs], resampled[theirs])
        return Ratio(label(to), found.value, (found.low, found.high)) if found else None

    rows = []
    for name in names:
        run = runs[(*key, *name)]
        for stage in scenario.stages:
            if (name, stage) not in series:
                continue
            samples = series[name, stage]
            middle: Estimate = median(samples, resampled[name, stage])
            p5, p95, p99 = np.percentile(samples, [5, 95, 99])
            of = scenario.subject(stage)
            bound = run.get("clock_bound_ns") if _crosses(run, stage) else None
            rows.append(
                Row(
                    case=key[0],
                    contender=name[0],
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
                    bytes=round(run[f"{of}_bytes"]),
                    digest=run[f"{of}_digest"],
                    ratio=compare(name, stage, scenario.baseline),
                    ratio_best=compare(name, stage, best),
                    ratio_sceptic=compare(name, stage, scenario.sceptic),
                    lang=key[4],
                    mode=name[1],
                    allocations=run.get("allocations"),
                    instructions=run.get("instructions"),
                    elements=run.get("elements"),
                    compressed_bytes=run.get("compressed_bytes"),
                    tail=tails[name],
                    memory_bytes=run.get("memory_bytes"),
                    map_memory_bytes=run.get("map_memory_bytes"),
                    study=run.get("study"),
                    scan=run.get("scan"),
                    points=run.get("points"),
                    heap=run.get("heap"),
                    counters=run.get("counters"),
                    ratio_floor=compare(name, stage, _floor(name, scenario)),
                    clock_bound_ns=bound,
                    below_clock_bound=None if bound is None else abs(middle.value) < bound,
                    **{column: run.get(column) for column in OF_TENSORS},
                )
            )
    return rows


def _crosses(run: dict[str, Any], stage: str) -> bool:
    """Whether a stage begins on one machine and ends on another, where there are two."""
    return stage in ("transit", "reply") or (stage == "total" and run.get("pattern") == "pubsub")


def _floor(name: Name, scenario: Scenario) -> Name | None:
    return (scenario.floor(name[0]), "") if scenario.floor else None


def _best_incumbent(
    names: list[Name], series: dict[tuple[Name, str], Array], scenario: Scenario
) -> Name | None:
    """The incumbent's mode with the least total: the incumbent at its best."""
    modes = [
        name
        for name in names
        if name[0].startswith(scenario.incumbent)
        and name != scenario.sceptic
        and (name, "total") in series
    ]
    return min(modes, key=lambda name: float(np.median(series[name, "total"])), default=None)
