# SPDX-License-Identifier: Apache-2.0
"""The stages of performance logs, log by log."""

from __future__ import annotations

import polars as pl

from wirecost.records.setlevel import PerformanceLog
from wirecost.records.stages import step_stages
from wirecost.report.shared import units
from wirecost.report.shared.table import Table


def log_table(logs: list[PerformanceLog]) -> Table:
    """One row for each stage of each model: steps, median, spread and median message size."""
    body: list[list[str]] = []
    for log in logs:
        stages = step_stages(log.events)
        for (stage,), part in stages.group_by(["stage"], maintain_order=True):
            ns = part["ns"].cast(pl.Float64)
            quantiles = [ns.quantile(q, "linear") or 0.0 for q in (0.5, 0.05, 0.95, 0.99)]
            size = int(part["size"].cast(pl.Float64).median() or 0)  # type: ignore[arg-type]
            body.append(
                [
                    f"{log.model} {stage}",
                    str(len(ns)),
                    *map(units.time, quantiles),
                    units.size(size),
                ]
            )
    notes = [
        f"{log.path}: not closed, its run was cut short; whole rows were read"
        for log in logs
        if not log.complete
    ]
    headings = ["model and stage", "steps", "median", "p5", "p95", "p99", "message"]
    return Table("Performance log", headings, body, notes, ("p5", "p99"))
