# SPDX-License-Identifier: Apache-2.0
"""The co-simulation's figures."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.osi import stages, time_per_reflection
from wirecost.report.shared.figure import Figure


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    return [
        *stages.figures(results),
        *time_per_reflection.figures(results, rows),
    ]
