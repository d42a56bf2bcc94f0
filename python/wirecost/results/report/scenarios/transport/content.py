# SPDX-License-Identifier: Apache-2.0
"""Report on transports: what to take, which is for what, and all that was measured."""

from __future__ import annotations

from wirecost.results.analysis.summary import Row
from wirecost.results.analysis.transport.measured import measured
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.transport import TransportMeta
from wirecost.results.report.scenarios import ScenarioContent
from wirecost.results.report.scenarios.transport import tables
from wirecost.results.report.scenarios.transport.advice import lead
from wirecost.results.report.scenarios.transport.decisions import decision_table
from wirecost.results.report.shared.table import present

TITLE = "What a transport costs"


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta, cases = results.meta_as(TransportMeta), measured(rows)
    return ScenarioContent(
        TITLE,
        lead(meta, cases),
        present(
            decision_table(meta, cases),
            *tables.tables(cases),
            tables.failed_table(meta),
            tables.broken_table(meta),
            *tables.peak_tables(cases),
            tables.binding_table(cases),
            tables.fault_table(meta),
        ),
        present(
            tables.settings_table(meta), tables.network_table(meta), tables.transports_table(meta)
        ),
        "",
    )
