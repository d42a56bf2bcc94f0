# SPDX-License-Identifier: Apache-2.0
"""The study's answer: what a variable costs, what carries large messages best."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

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
IMPORTERS = ("C", "FMPy")
COPIED, SHARED = "binary", "memory-2"
MOST_SIZES = 3
"""Columns of sizes in the first table."""
FIRST = {
    ("C", "none"): "nothing: write, read",
    ("C", "osmp"): "OSMP pointer",
    ("C", COPIED): "binary",
    ("C", "clocked"): "binary with clock",
    ("C", "memory-1"): "memory, 1 buffer",
    ("C", SHARED): "memory, 2 buffers",
    ("C", "binary-processes"): "binary, 2 processes",
    ("C", "memory-2-processes"): "memory, 2 processes",
    ("FMPy", COPIED): "binary",
    ("FMPy", SHARED): "memory, 2 buffers",
}
"""Carriers of the first table, by importer, in words."""


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report; the first table has messages by size."""
    totals = [row for row in rows if row.stage == plain.TOTAL and row.fmi == DEFAULT_FMI]
    values = [row for row in totals if row.run_as(FmiRun).kind == FLOAT64]
    messages = [row for row in totals if row.run_as(FmiRun).kind == MESSAGE]
    lead = joined(_values(values), _messages(messages))
    shown = plain.content(results, rows)
    if lead is None or not messages:
        return shown
    steps = ["Get and set many values in one call; keep FMPy's arrays.", _advice(messages)]
    return replace(shown, lead=lead, first=Answer(lead, _carriers(messages), steps))


def _values(rows: list[Row]) -> str | None:
    """Say what one Float64 costs, in the case of most values."""
    most = max((row.run_as(FmiRun).number for row in rows), default=0)
    each = {
        (row.contender, row.variant): units.time(row.median_ns / most)
        for row in rows
        if row.run_as(FmiRun).number == most
    }
    if {(calls, of) for calls in ("together", "each") for of in IMPORTERS} - each.keys():
        return None
    return (
        f"Get and set of a Float64, {most:,} at once: {each['together', 'C']} in C, "
        f"{each['together', 'FMPy']} in FMPy; in a call each {each['each', 'C']} and "
        f"{each['each', 'FMPy']}."
    )


def _shared(rows: list[Row], importer: str) -> list[Row]:
    """Return the rows of shared memory that are compared with copies, the largest size first."""
    rows = [row for row in rows if (row.contender, row.variant) == (SHARED, importer)]
    return sorted((row for row in rows if row.ratio), key=lambda row: -row.bytes)


def _messages(rows: list[Row]) -> str | None:
    """Say how shared memory compares with copies, in the largest size."""
    compared = [
        f"{plain.compared(shared[0], shared[0].ratio)} in {importer}"
        for importer in IMPORTERS
        if (shared := _shared(rows, importer))
    ]
    if not compared:
        return None
    largest = units.size(max(row.bytes for row in rows))
    return f"Shared memory compared with a binary, {largest}: {' and '.join(compared)}."


def _advice(rows: list[Row]) -> str:
    """Say from which size on shared memory is faster than binaries, whatever the noise."""
    gains = []
    for importer in IMPORTERS:
        shared = _shared(rows, importer)
        faster = list(takewhile(lambda row: row.ratio and row.ratio.ci95[1] < 1, shared))
        if faster:
            gains.append(f"{units.size(faster[-1].bytes)} in {importer}")
    sizes = f"Share memory from {', from '.join(gains)}" if gains else "No size gains from memory"
    return f"{sizes}: docs/results/advice-memory.md."


def _carriers(rows: list[Row]) -> Table:
    """Return median times of an exchange by size: the least, the middle and the largest."""
    sizes = sorted({row.bytes for row in rows})
    if len(sizes) > MOST_SIZES:
        sizes = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    times = {(row.variant, row.contender, row.bytes): row for row in rows}
    body = []
    for (importer, carrier), words in FIRST.items():
        own = [times.get((importer, carrier, size)) for size in sizes]
        cells = [units.time(row.median_ns if row else None) for row in own]
        body.append([words, importer, *cells, _copies(own[-1])])
    headings = ["carried as", "importer", *(str(units.size(size)) for size in sizes), "copies"]
    notes = ["Medians. One FMU writes the message, the other reads all of it."]
    return Table("Messages from one FMU to another", headings, body, notes)


def _copies(row: Row | None) -> str:
    if row is None:
        return units.NONE
    run = row.run_as(FmiRun)
    return str(run.importer_copies + round(run.copied_bytes / max(1, row.bytes)))
