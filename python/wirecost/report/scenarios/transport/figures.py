# SPDX-License-Identifier: Apache-2.0
"""The figures of a result folder of transports."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.analysis.transport.measured import measured
from wirecost.records.folder import Results
from wirecost.report.scenarios.transport import networks, prices, rates, timelines
from wirecost.report.shared.figure import Figure


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    found = measured(rows)
    return [
        *rates.figures(found),
        *prices.figures(found),
        *networks.figures(found),
        *timelines.figures(results.meta),
    ]
