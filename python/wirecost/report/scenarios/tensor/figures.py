# SPDX-License-Identifier: Apache-2.0
"""Figures of tensors over middlewares."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.tensor import latency, sizes, stages
from wirecost.report.shared.figure import Figure


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    return [
        *latency.figures(results, rows),
        *sizes.figures(rows),
        *stages.figures(results, rows),
    ]
