# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost probe try`` compares, as tables."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from wirecost.analysis.gains import PROCESSES, SAMPLES
from wirecost.analysis.probe_sections import executions
from wirecost.records.probe_log import SUFFIX, events_of, read_logs
from wirecost.trial.program import Process
from wirecost.trial.remedy import PLAIN

WHOLE = "whole program"


def compared(
    samples: list[pl.DataFrame], processes: list[tuple[str, int, Process]]
) -> pl.DataFrame:
    """Of the remedies of ``processes``; without the times of whole processes where the time limit
    ended one."""
    table = pl.concat(samples)
    table = table.filter(pl.col("remedy").is_in(list({name for name, _, _ in processes})))
    if any(process.ended_by_us for _, _, process in processes):
        table = table.filter(pl.col("case") != WHOLE)
    return table


def samples_of(name: str, number: int, process: Process, logs: Path) -> pl.DataFrame:
    """What a process took, and its sections where ``logs`` has them."""
    rows = [pl.DataFrame([(name, number, WHOLE, process.elapsed_ns)], SAMPLES, orient="row")]
    if any(logs.glob("*" + SUFFIX)):
        executed = executions(events_of(read_logs([logs])))
        sections = executed.select(
            pl.lit(name).alias("remedy"),
            pl.lit(number, pl.Int64).alias("process"),
            pl.col("section").alias("case"),
            pl.col("ns").cast(pl.Int64),
        )
        rows.insert(0, sections)
    return pl.concat(rows)


def process_table(processes: list[tuple[str, int, Process]]) -> pl.DataFrame:
    """What each cost the machine, the program as it is first."""
    rows = [
        (name, number, one.minor_faults, one.voluntary_switches + one.involuntary_switches,
         one.output)
        for name, number, one in sorted(processes, key=lambda one: one[0] != PLAIN)
    ]  # fmt: skip
    return pl.DataFrame(rows, PROCESSES, orient="row")
