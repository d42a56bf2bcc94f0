# SPDX-License-Identifier: Apache-2.0
"""The summary rows of a result folder: what ``--json`` holds and every table shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wirecost.analysis.facts import FLAT_ORDER, facts_of
from wirecost.analysis.race import Race, Ratio, label
from wirecost.records.folder import Results
from wirecost.records.scenarios import RACE, Scenario, scenario_of, with_all_columns

Runs = dict[tuple[Any, ...], dict[str, Any]]
"""What ``meta.json`` says of each contender, by race, contender and mode."""


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
    """That took the samples, each a start of the program."""
    median_ns: float
    p5_ns: float
    p95_ns: float
    p99_ns: float
    ci95_ns: tuple[float, float]
    bytes: int
    digest: str
    ratio: Ratio | None
    """To the scenario's baseline."""
    ratio_best: Ratio | None
    """To the incumbent at its best."""
    ratio_best_codec: Ratio | None
    """To the incumbent's wire with our own best codec, where the scenario has such a contender."""
    lang: str
    mode: str
    facts: dict[str, Any]
    """What the scenario declares beside these, by name (``Scenario.facts``)."""

    @property
    def repetitions(self) -> int:
        """Independent ones, from which an interval follows: processes, where there are several."""
        return self.processes if self.processes > 1 else self.n

    @property
    def race(self) -> tuple[str, str, str, int | None, str]:
        return self.case, self.variant, self.build, self.fmi, self.lang

    @property
    def name(self) -> str:
        return label((self.contender, self.mode))


def summarize(results: Results) -> list[Row]:
    """Rows in the order in which the races were run, stages in their own order."""
    runs: Runs = {
        (*(run.get(column) for column in RACE[:-1]), run.get("lang", ""), run["contender"],
         run.get("mode", "")): run
        for run in results.meta["runs"]
    }  # fmt: skip
    scenario = scenario_of(results)
    samples = with_all_columns(results.samples)
    return [
        row
        for key, race in samples.group_by(RACE, maintain_order=True)
        for row in _race_rows(key, Race(race), runs, scenario)
    ]


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
        "rows": [_flat(row) for row in rows],
    }


def _flat(row: Row) -> dict[str, Any]:
    """All of a row side by side; facts of other scenarios are null."""
    values = asdict(row)
    facts = values.pop("facts")
    # The format's name for it.
    common = {("ratio_sceptic" if k == "ratio_best_codec" else k): v for k, v in values.items()}
    return common | {name: facts.get(name) for name in FLAT_ORDER}


def _race_rows(key: tuple[Any, ...], race: Race, runs: Runs, scenario: Scenario) -> Iterator[Row]:
    case, variant, build, fmi, lang = key
    usual, incumbent = scenario.incumbents(race.names)
    best = race.quickest(
        name for name in race.names if name[0].startswith(incumbent) and name != scenario.best_codec
    )
    baseline, best_codec = map(race.without_mode, (usual, scenario.best_codec))
    for name in race.names:
        run = runs[(*key, *name)]
        for stage in scenario.stages:
            if (name, stage) not in race.series:
                continue
            middle = race.median(name, stage)
            p5, p95, p99 = np.percentile(race.series[name, stage], [5, 95, 99])
            of = scenario.subject(stage)
            yield Row(
                case=case,
                contender=name[0],
                variant=variant,
                build=build,
                fmi=fmi,
                stage=stage,
                n=len(race.series[name, stage]),
                processes=race.processes,
                median_ns=middle.value,
                p5_ns=float(p5),
                p95_ns=float(p95),
                p99_ns=float(p99),
                ci95_ns=(middle.low, middle.high),
                bytes=round(run[f"{of}_bytes"]),
                digest=run[f"{of}_digest"],
                ratio=race.ratio(name, stage, baseline),
                ratio_best=race.ratio(name, stage, best),
                ratio_best_codec=race.ratio(name, stage, best_codec),
                lang=lang,
                mode=name[1],
                facts=facts_of(scenario, run, race, name, stage),
            )
