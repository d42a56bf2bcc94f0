# SPDX-License-Identifier: Apache-2.0
"""The co-simulation's figures."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.osi import stages, time_per_reflection
from wirecost.report.shared.figure import Figure
from wirecost.report.shared.races import races
from wirecost.report.shared.totals import totals


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    drawn = (totals(rows, race, number) for number, race in enumerate(races(rows), start=1))
    return [
        *(figure for figure in drawn if figure is not None),
        *stages.figures(results),
        *time_per_reflection.figures(results, rows),
    ]
