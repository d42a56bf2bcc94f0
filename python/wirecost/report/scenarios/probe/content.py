# SPDX-License-Identifier: Apache-2.0
"""The probe benchmark: what a section costs in each scheme, beside the least it could cost."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content, built_with
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    baseline,
    contenders,
    races,
    ratio_text,
    samples_taken,
    stages_table,
)
from wirecost.report.shared.table import Amount, Table

TITLE = "Probes: what a section costs that is timed and counted"


def content(results: Results, rows: list[Row]) -> Content:
    shown = races(rows)
    return Content(
        TITLE,
        _lead(rows),
        [_table(results.meta, rows, race[0]) for race in shown],
        [_contenders(results.meta), *(stages_table(rows, race) for race in shown)],
        f"Every contender: {built_with(results.meta['environment'])}.",
    )


def _table(meta: dict[str, Any], rows: list[Row], case: str) -> Table:
    race = next(row.race for row in rows if row.case == case)
    body = []
    for name, stages in contenders(rows, race):
        total, about = stages["total"], meta["contenders"][f"{case}: {name}"]
        body.append(
            [
                name,
                units.time(total.median_ns),
                f"{units.time(total.ci95_ns[0])} – {units.time(total.ci95_ns[1])}",
                units.time(total.p99_ns),
                ratio_text(total, total.ratio),
                ratio_text(total, total.ratio_best),
                Amount(str(about["system_calls"]), about["system_calls"]),
                about["what"],
            ]
        )
    headings = ["contender", "per section", "95 % interval", "p99", f"× {baseline(rows, race)}"]
    headings += ["× pmu_analyzer", "system calls", "what it does"]
    samples = samples_taken(next(row for row in rows if row.race == race), "samples")
    notes = [
        f"Medians of {samples}, each of {meta['sections_of_a_sample']} empty sections, contenders "
        "in turns, each in processes of its own. Before timing, every contender counted a known "
        "number of page faults and instructions; its log must hold them."
    ]
    optional = ("what it does", "p99", "95 % interval", "system calls")
    return Table(case, headings, body, notes, optional, ("per section", "system calls"))


def _contenders(meta: dict[str, Any]) -> Table:
    body = [
        [name, about["what"], str(about["system_calls"])]
        for name, about in meta["contenders"].items()
    ]
    return Table("Contenders", ["contender", "what it does", "system calls"], body, [])


def _lead(rows: list[Row]) -> str | None:
    section = next((r for r in rows if (r.case, r.name) == ("software counters", "section")), None)
    if section is None or section.ratio is None or section.ratio_best is None:
        return None
    return (
        f"A section with four software counters takes {units.time(section.median_ns)}: "
        f"{units.significant(section.ratio.median)} times the cost of reading a perf group twice, "
        f"{units.significant(section.ratio_best.median)} times that of pmu_analyzer."
    )
