# SPDX-License-Identifier: Apache-2.0
"""The answer of ``bench fmi``: what a variable costs, what carries large messages best."""

from __future__ import annotations

from dataclasses import replace

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent, joined
from wirecost.results.report.scenarios.any import content as plain
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Table

from .schema import FmiRun

MESSAGE, FLOAT64 = "message", "float64"
DEFAULT_FMI = 3
COPIED, SHARED = "binary", "memory-2"
FIRST_SIZES = 3
"""Columns of sizes in the first table."""
FIRST = ("none", "osmp", COPIED, "clocked", "memory-1", SHARED, "binary-processes",
         "memory-2-processes")  # fmt: skip
"""Carriers of the first table."""
STEPS = [
    "Get and set many values in one call; keep FMPy's arrays.",
    "Share memory for large messages: docs/results/advice-memory.md.",
]


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report; the first table has messages by size."""
    totals = [row for row in rows if row.stage == plain.TOTAL and row.fmi == DEFAULT_FMI]
    values = [row for row in totals if row.run_as(FmiRun).kind == FLOAT64]
    messages = [row for row in totals if row.run_as(FmiRun).kind == MESSAGE]
    lead = joined(_values(values), _messages(messages))
    shown = plain.content(results, rows)
    if lead is None or shown.first is None:
        return shown
    table = _carriers(messages) if messages else shown.first.table
    return replace(shown, lead=lead, first=Answer(lead, table, STEPS))


def _values(rows: list[Row]) -> str | None:
    """Say what one Float64 costs, in the case of most values."""
    most = max((row.run_as(FmiRun).number for row in rows), default=0)
    each = {
        (row.contender, row.mode): units.time(row.median_ns / most)
        for row in rows
        if row.run_as(FmiRun).number == most
    }
    if not {("together", "C"), ("together", "FMPy")} <= each.keys():
        return None
    return (
        f"Get and set of a Float64, {most:,} at once: {each['together', 'C']} in C, "
        f"{each['together', 'FMPy']} in FMPy."
    )


def _messages(rows: list[Row]) -> str | None:
    """Say how shared memory compares with copies, in the largest size."""
    largest = max((row.bytes for row in rows), default=0)
    for row in rows:
        ratio = row.ratio
        if (row.contender, row.mode, row.bytes) == (SHARED, "C", largest) and ratio is not None:
            said = plain.compared(row, ratio)
            return f"Shared memory carries {units.size(largest)} {said} than a binary, in C."
    return None


def _carriers(rows: list[Row]) -> Table:
    """Return median times of an exchange by size: the least, the middle and the largest."""
    sizes = sorted({row.bytes for row in rows})
    if len(sizes) > FIRST_SIZES:
        sizes = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    times = {(row.name, row.bytes): row for row in rows if row.contender in FIRST}
    names = dict.fromkeys(row.name for row in rows if row.contender in FIRST)
    return Table.matrix(
        "Messages from one FMU to another",
        "carried as",
        [(name, name) for name in names],
        [(str(units.size(size)), size) for size in sizes],
        lambda name, size: (
            units.time(times[name, size].median_ns) if (name, size) in times else units.NONE
        ),
        ["Medians. One FMU writes the message, the other reads all of it; none: no FMI between."],
    )
