# SPDX-License-Identifier: Apache-2.0
"""The allocators' figures."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.heap import tails, throughput, turnaround
from wirecost.report.shared.figure import Figure


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    return [
        *tails.figures(rows),
        *throughput.figures(results, rows),
        *turnaround.figures(results, rows),
    ]
