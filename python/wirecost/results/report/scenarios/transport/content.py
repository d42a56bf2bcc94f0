# SPDX-License-Identifier: Apache-2.0
"""Report on transports: what to take, which is for what, and all that was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from wirecost.results.analysis.summary import Row
from wirecost.results.analysis.transport.measured import ENOUGH, MeasuredTransport, measured
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.transport import TransportMeta
from wirecost.results.report.scenarios import ScenarioContent
from wirecost.results.report.scenarios.transport import tables
from wirecost.results.report.scenarios.transport.advice import MATCHED, advice, lead
from wirecost.results.report.scenarios.transport.decisions import decision_table
from wirecost.results.report.shared.first import FirstAnswer
from wirecost.results.report.shared.table import Table, present

TITLE = "What a transport costs"
WARN = "warn"
TAIL_MESSAGES = 1000
"""Arrivals that are enough for a 99th percentile."""
MOST_SECONDS = 600
"""Longest time of a process that ``--seconds`` takes."""


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta, cases = results.meta_as(TransportMeta), measured(rows)
    every = present(
        decision_table(meta, cases),
        *tables.tables(cases),
        tables.failed_table(meta),
        tables.broken_table(meta),
        *tables.peak_tables(cases),
        tables.binding_table(cases),
        tables.fault_table(meta),
    )
    return ScenarioContent(
        TITLE,
        lead(meta, cases),
        every,
        present(
            tables.settings_table(meta), tables.network_table(meta), tables.transports_table(meta)
        ),
        "",
        first=_first(meta, cases, every),
    )


def _first(
    meta: TransportMeta, cases: Sequence[MeasuredTransport], every: Sequence[Table]
) -> FirstAnswer | None:
    answer = advice(meta, cases)
    if answer is None or not every:
        return None
    notes = [*_circumstances(meta, cases), *every[0].notes]
    table = replace(every[0], rows=_quickest_first(every[0].rows, cases), notes=notes)
    return FirstAnswer(answer, table, _steps(meta, cases, answer))


def _quickest_first(rows: list[list[str]], cases: Sequence[MeasuredTransport]) -> list[list[str]]:
    """Sort rows of transports by the first case: a screen may have room for some of them only.

    Rows of contenders have another first cell, and stay in their order.
    """
    latencies: dict[str, float] = {}
    for case in cases:
        if case.case == cases[0].case and case.delivers:
            for name in (case.who.mware, f"{case.who.mware} {case.who.client}"):
                latencies[name] = min(case.p50_ns, latencies.get(name, math.inf))
    return sorted(rows, key=lambda row: latencies.get(row[0], math.inf))


def _circumstances(meta: TransportMeta, cases: Sequence[MeasuredTransport]) -> list[str]:
    """Return what a reader of the first table must know, each in a line."""
    load = str(meta.doctor.get("load", ""))
    asked = "asked for no loss" if meta.asked.get("reliable", True) else "no waiting"
    if queue := meta.asked.get("queue"):
        asked += f", {queue} messages at each end"
    parts = {
        f"Load {load.removeprefix(WARN).strip(' ()')} when the run began: something else ran.":
            load.startswith(WARN),
        tables.DDS: tables.has_local_dds(cases),
        f"default: as installed; {MATCHED}: {asked}.":
            any(case.who.settings == MATCHED for case in cases),
    }  # fmt: skip
    return [text for text, is_so in parts.items() if is_so]


def _steps(meta: TransportMeta, cases: Sequence[MeasuredTransport], answer: str) -> list[str]:
    """Say how to set what is advised, and what measures a missing 99th percentile."""
    steps = []
    if any(case.who.settings == MATCHED and tables.name(case) in answer for case in cases):
        steps.append(f"Set `{MATCHED}` in your program: docs/transports.md, 'The same settings …'.")
    few = min(case.expected for case in cases)
    if 0 < few < ENOUGH:
        longer = _longer(meta, TAIL_MESSAGES / few)
        steps.append(f"p99 needs {TAIL_MESSAGES:,} arrivals, not {few:,}: take `{longer}`.")
    return steps


def _longer(meta: TransportMeta, factor: float) -> str:
    """Return the option by which a run has so many times its messages."""
    if meta.seconds * factor <= MOST_SECONDS:
        return f"--seconds {math.ceil(meta.seconds * factor)}"
    return f"--processes {math.ceil(meta.processes * factor)}"
