# SPDX-License-Identifier: Apache-2.0
"""The summary rows of a result folder: what ``--json`` holds and every table shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import takewhile
from typing import Any, TypedDict, TypeVar

import msgspec
import numpy as np

from wirecost.results.analysis.race import Name, Race, Ratio, label
from wirecost.results.analysis.tail import Tail, tail_of
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import RACE, with_all_columns
from wirecost.results.records.schemas import SCENARIOS, scenario_of, tensor
from wirecost.results.records.schemas.common import Entry, Run, Scenario

Runs = dict[tuple[Any, ...], Run]
"""Runs in ``meta.json`` by race, contender and mode."""
R = TypeVar("R", bound=Run)

_FIRST = (
    "allocations", "instructions", "elements", "compressed_bytes", "tail", "memory_bytes",
    "map_memory_bytes", "study", "scan", "points", "heap", "counters", "ratio_floor",
)  # fmt: skip
FACTS = tuple(dict.fromkeys([*_FIRST, *(f for s in SCENARIOS.values() for f in s.facts)]))
"""Facts of all scenarios in the order in which ``--json`` has them; new ones come last."""
RENAMED = {"ratio_best_codec": "ratio_sceptic"}
"""The JSON format's names of a row's attributes."""


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
    processes: int
    """Processes that took the samples, each a start of the program."""
    median_ns: float
    p5_ns: float
    p95_ns: float
    p99_ns: float
    ci95_ns: tuple[float, float]
    bytes: int
    digest: str
    ratio: Ratio | None
    """Ratio to the scenario's baseline."""
    ratio_best: Ratio | None
    """Ratio to the best rival."""
    ratio_best_codec: Ratio | None
    """Ratio to the incumbent's wire with our own best codec, if the scenario has such a
    contender."""
    lang: str
    mode: str
    run: Run
    """The contender's run, of the scenario's type."""
    p999_ns: float
    max_ns: float
    tail: Tail | None = None
    """Tail of callbacks that were counted one by one."""
    ratio_floor: Ratio | None = None
    """Ratio to what the contender cannot beat, where the scenario has such a thing."""
    clock_bound_ns: int | None = None
    """The most by which the clocks of the two machines between which the stage lies can differ."""

    def run_as(self, kind: type[R]) -> R:
        """Return ``run``, which is of that scenario's type."""
        assert isinstance(self.run, kind)
        return self.run

    @property
    def below_clock_bound(self) -> bool | None:
        """True where the clocks' error may be larger than the time.

        It is None where there is one clock.
        """
        return None if self.clock_bound_ns is None else abs(self.median_ns) < self.clock_bound_ns

    @property
    def repetitions(self) -> int:
        """Independent ones, from which an interval follows: processes, where there are several."""
        return self.processes if self.processes > 1 else self.n

    def fact(self, name: str) -> Any:
        """Return an attribute of the row, or else of its run; None where neither has it."""
        return getattr(self, name, getattr(self.run, name, None))

    @property
    def race(self) -> tuple[str, str, str, int | None, str]:
        return self.case, self.variant, self.build, self.fmi, self.lang

    @property
    def name(self) -> str:
        return label((self.contender, self.mode))


class Document(TypedDict):
    """A result folder as ``--json`` writes it; ``rows`` have the attributes of ``Row``.

    ``folder``: where its samples are; ``runs``: facts of each contender in each case, with its
    ``bytes``.
    """

    schema: int
    scenario: str
    folder: str
    environment: dict[str, Entry]
    interrupted: bool | str
    failures: list[dict[str, object]]
    not_run: dict[str, str]
    runs: list[dict[str, object]]
    rows: list[dict[str, object]]


def summarize(results: Results) -> list[Row]:
    """Return rows in the order in which the races were run, stages in their own order."""
    runs: Runs = {
        tuple(getattr(run, name) for name in (*RACE, "contender", "mode")): run
        for run in results.meta.runs
    }
    scenario = scenario_of(results.meta)
    samples = with_all_columns(results.samples)
    return [
        row
        for key, race in samples.group_by(RACE, maintain_order=True)
        for row in _race_rows(key, Race(race), runs, scenario)
    ]


def document(results: Results, rows: list[Row]) -> Document:
    """Return what ``--json`` writes."""
    meta, facts = results.meta, scenario_of(results.meta).facts
    return {
        "schema": meta.schema,
        "scenario": meta.scenario,
        "folder": str(results.folder.absolute()),
        "environment": meta.environment,
        "interrupted": meta.interrupted,
        "failures": [
            {
                key: getattr(run, key)
                for key in (*RACE, "contender", "mode", "failure")
                if key in run.__struct_fields__
            }
            for run in meta.runs
            if run.failure
        ],
        "not_run": meta.not_run,
        "runs": [
            msgspec.to_builtins(run) | {"bytes": getattr(run, "message_bytes", None)}
            for run in meta.runs
        ],
        "rows": [_flat(row, facts) for row in rows],
    }


def _flat(row: Row, facts: tuple[str, ...]) -> dict[str, object]:
    """Return all of a row side by side; facts of other scenarios are null."""
    common = takewhile(lambda name: name != "run", (field.name for field in fields(row)))
    values = {RENAMED.get(name, name): getattr(row, name) for name in common} | {
        name: row.fact(name) if name in facts else None for name in FACTS
    }
    return {name: msgspec.to_builtins(value) for name, value in values.items()}


def _race_rows(key: tuple[Any, ...], race: Race, runs: Runs, scenario: Scenario) -> Iterator[Row]:
    case, variant, build, fmi, lang = key
    usual, rivals = scenario.compared_with(race.names)
    best = race.quickest(name for name in race.names if _is_rival(runs[(*key, *name)], rivals))
    baseline, best_codec = map(race.without_mode, (usual, scenario.best_codec))
    for name in race.names:
        run = runs[(*key, *name)]
        for stage in scenario.stages or race.stages:
            if (name, stage) not in race.series:
                continue
            middle = race.median(name, stage)
            series = race.series[name, stage]
            p5, p95, p99, p999 = np.percentile(series, [5, 95, 99, 99.9])
            size, digest = scenario.sent(run, stage)
            yield Row(
                case=case,
                contender=name[0],
                variant=variant,
                build=build,
                fmi=fmi,
                stage=stage,
                n=len(series),
                processes=race.processes,
                median_ns=middle.value,
                p5_ns=float(p5),
                p95_ns=float(p95),
                p99_ns=float(p99),
                ci95_ns=(middle.low, middle.high),
                bytes=round(size),
                digest=digest,
                ratio=race.ratio(name, stage, baseline),
                ratio_best=race.ratio(name, stage, best),
                ratio_best_codec=race.ratio(name, stage, best_codec),
                lang=lang,
                mode=name[1],
                run=run,
                p999_ns=float(p999),
                max_ns=float(np.max(series)),
                tail=_tail(scenario, race, name),
                ratio_floor=race.ratio(name, stage, _floor(scenario, name)),
                clock_bound_ns=_clock_bound_ns(run, stage),
            )


def _is_rival(run: Run, rivals: frozenset[str]) -> bool:
    return run.contender in rivals if run.rival is None else run.rival


def _tail(scenario: Scenario, race: Race, name: Name) -> Tail | None:
    if "tail" not in scenario.facts:
        return None
    return tail_of(race.samples.filter(contender=name[0], mode=name[1], stage="total"))


def _floor(scenario: Scenario, name: Name) -> Name | None:
    return None if scenario.floor is None else (scenario.floor(name[0]), "")


def _clock_bound_ns(run: Run, stage: str) -> int | None:
    """Return the bound; None where a stage begins and ends on one machine."""
    if not isinstance(run, tensor.TensorRun):
        return None
    crosses = stage in ("transit", "reply") or (stage == "total" and run.pattern == "pubsub")
    return run.clock_bound_ns if crosses else None
