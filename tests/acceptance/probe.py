# SPDX-License-Identifier: Apache-2.0
"""Goals of the probe library, from a folder of ``wirecost bench probe``."""

from __future__ import annotations

from acceptance.goal import Goal
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import ratio_text

PAIR_NS = 60.0
"""Nanoseconds that the two time stamps of a section may cost."""


def goals(results: Results, rows: list[Row]) -> list[Goal]:
    del results
    row_of = {(row.case, row.name): row for row in rows}
    all_goals = []
    times = row_of.get(("times", "section"))
    if times is not None:
        met = times.median_ns <= PAIR_NS
        all_goals.append(
            Goal(
                "a section with times", f"≤ {units.time(PAIR_NS)}", units.time(times.median_ns), met
            )
        )
    section = row_of.get(("software counters", "section"))
    if section is not None and section.ratio is not None:
        all_goals.append(
            Goal(
                "a section with four software counters",
                "below two perf reads",
                f"× {ratio_text(section, section.ratio)}",
                section.ratio.ci95[1] < 1,
            )
        )
    return all_goals
