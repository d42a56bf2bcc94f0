# SPDX-License-Identifier: Apache-2.0
"""Figures of a scenario that draws none of its own: the totals of each race."""

from __future__ import annotations

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.totals import all_totals


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw the totals."""
    del results
    return all_totals(rows)
