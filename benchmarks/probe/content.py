# SPDX-License-Identifier: Apache-2.0
"""The probe benchmark: what a section costs in each scheme, beside the least it could cost."""

from __future__ import annotations

from collections.abc import Callable

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent, built_with
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import (
    NAME,
    Race,
    baseline,
    best_column,
    contenders,
    contenders_table,
    interval,
    of_race,
    races,
    ratio_column,
    samples_taken,
    stages_table,
    total_column,
)
from wirecost.results.report.shared.table import Table

from .schema import ProbeAbout, ProbeMeta

TITLE = "Probes: what a section costs that is timed and counted"


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    all_races, meta = races(rows), results.meta_as(ProbeMeta)
    columns: dict[str, Callable[[ProbeAbout], str]] = {
        "what it does": lambda contender: contender.what,
        "system calls": lambda contender: str(contender.system_calls),
    }
    return ScenarioContent(
        TITLE,
        _lead(rows),
        [_table(meta, rows, race) for race in all_races],
        [
            contenders_table(meta.contenders, columns),
            *(stages_table(rows, race) for race in all_races),
        ],
        f"Every contender: {built_with(meta.environment)}.",
    )


def _table(meta: ProbeMeta, rows: list[Row], race: Race) -> Table:
    here = of_race(rows, race)

    def about(total: Row) -> ProbeAbout:
        return meta.contenders[f"{total.case}: {total.name}"]

    columns = [
        NAME,
        total_column("per section", lambda total: units.time(total.median_ns), bar=True),
        total_column("95 % interval", interval, optional=3),
        total_column("p99", lambda total: units.time(total.p99_ns), optional=2),
        ratio_column(baseline(rows, race)),
        best_column("pmu_analyzer"),
        total_column(
            "system calls",
            lambda total: units.amount(about(total).system_calls, ""),
            bar=True,
            optional=4,
        ),
        total_column("what it does", lambda total: about(total).what, optional=1),
    ]
    notes = [
        f"Medians of {samples_taken(here[0], 'samples')}, each of {meta.sections_of_a_sample} "
        "empty sections, contenders in turns, each in processes of its own. Before timing, every "
        "contender counted a known number of page faults and instructions; its log must hold them."
    ]
    return Table.of(race[0], contenders(rows, race), columns, notes)


def _lead(rows: list[Row]) -> str | None:
    section = next((r for r in rows if (r.case, r.name) == ("software counters", "section")), None)
    if section is None or section.ratio is None or section.ratio_best is None:
        return None
    return (
        f"A section with four software counters takes {units.time(section.median_ns)}: "
        f"{units.significant(section.ratio.median)} times the cost of reading a perf group twice, "
        f"{units.significant(section.ratio_best.median)} times that of pmu_analyzer."
    )
