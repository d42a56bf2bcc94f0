# SPDX-License-Identifier: Apache-2.0
"""The stages of performance logs, log by log."""

from __future__ import annotations

import polars as pl

from wirecost.results.records.setlevel import PerformanceLog
from wirecost.results.records.stages import step_stages
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted


def log_answer(logs: list[PerformanceLog]) -> Answer:
    """Return how long stages took, and which model's takes most."""
    table = log_table(logs)
    models = counted(len(logs), "model")
    return Answer(
        f"{models}, {counted(len(table.rows), 'stage')}.",
        table,
        more="--all prints every stage",
        heading="Performance logs",
        document=[dict(zip(table.headings, row, strict=True)) for row in table.rows],
    )


def log_table(logs: list[PerformanceLog]) -> Table:
    """Return for each stage of each model steps, median, spread and median message size."""
    parts = [
        (f"{log.model} {stage}", part)
        for log in logs
        for (stage,), part in step_stages(log.events).group_by(["stage"], maintain_order=True)
    ]

    def quantile(title: str, q: float, optional: int = 0) -> Column[tuple[str, pl.DataFrame]]:
        return Column(title, lambda of: units.time(_quantile(of[1], "ns", q)), optional=optional)

    columns: list[Column[tuple[str, pl.DataFrame]]] = [
        Column("model and stage", lambda of: of[0]),
        Column("steps", lambda of: str(len(of[1]))),
        quantile("median", 0.5),
        quantile("p5", 0.05, 1),
        quantile("p95", 0.95),
        quantile("p99", 0.99, 2),
        Column("message", lambda of: units.size(int(_quantile(of[1], "size", 0.5)))),
    ]
    notes = [
        f"{log.path}: not closed, because its run was cut short; its whole rows were read"
        for log in logs
        if not log.complete
    ]
    return Table.of("Performance log", parts, columns, notes)


def _quantile(part: pl.DataFrame, column: str, q: float) -> float:
    return part[column].cast(pl.Float64).quantile(q, "linear") or 0.0
