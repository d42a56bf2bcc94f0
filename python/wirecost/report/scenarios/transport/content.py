# SPDX-License-Identifier: Apache-2.0
"""What transports cost: what to take, which is for what, and all that was measured."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.analysis.transport.measured import measured
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content
from wirecost.report.scenarios.transport import circumstances, measurements, peaks
from wirecost.report.scenarios.transport.advice import lead
from wirecost.report.scenarios.transport.decisions import decision_table
from wirecost.report.shared.table import Table

TITLE = "What a transport costs"


def content(results: Results, rows: list[Row]) -> Content:
    meta, found = results.meta, measured(rows)
    first = [
        decision_table(meta, found),
        *measurements.tables(found),
        peaks.failed_table(meta),
        peaks.broken_table(meta),
        *peaks.peak_tables(found),
        peaks.binding_table(found),
        circumstances.fault_table(meta),
    ]
    details: list[Table | None] = [
        circumstances.settings_table(meta),
        circumstances.network_table(meta),
        circumstances.contender_table(meta),
    ]
    return Content(
        TITLE,
        lead(meta, found),
        [table for table in first if table is not None],
        [table for table in details if table is not None],
        "",
    )
