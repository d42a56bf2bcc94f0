# SPDX-License-Identifier: Apache-2.0
"""A replayed node's sections, latencies and the lateness of its inputs, a colour for each run."""

from __future__ import annotations

import polars as pl

from wirecost.results.analysis.probe_sections import executions
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.run_logs import run_events, run_logs
from wirecost.results.report.shared.executions import section_figures
from wirecost.results.report.shared.executions.series import Options
from wirecost.results.report.shared.figure import Figure

DRAWN = 8
"""Sections and topics with figures: those that took most of the time in all."""


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    del rows
    options = Options(by="run")
    tables = [*_sections(results), *_latencies(results.samples)]
    drawn: list[Figure] = []
    for number, (name, table) in enumerate(tables, start=1):
        drawn += section_figures(number, name, table, options)
    return drawn


def _sections(results: Results) -> list[tuple[str, pl.DataFrame]]:
    events = run_events(run_logs(results.folder))
    if events is None:
        return []
    return _longest(executions(events), "section")


def _latencies(samples: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    latency = samples.filter(stage="latency").select("case", "run", "ns")
    return [(f"latency {name}", table) for name, table in _longest(latency, "case")]


def _longest(table: pl.DataFrame, by: str) -> list[tuple[str, pl.DataFrame]]:
    total = pl.col("ns").cast(pl.Float64).sum()
    sums = table.group_by(by, maintain_order=True).agg(total)
    names = sums.sort("ns", descending=True, maintain_order=True)[by].head(DRAWN)
    return [(name, table.filter(pl.col(by) == name)) for name in names]
