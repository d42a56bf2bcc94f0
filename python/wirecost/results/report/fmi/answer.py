# SPDX-License-Identifier: Apache-2.0
"""The answer of ``bench fmi``: what a variable costs, what carries large messages best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

import numpy as np

from wirecost.results.analysis import intervals
from wirecost.results.records.fmi import FmiRace, FmiRun
from wirecost.results.report.shared import units
from wirecost.results.report.shared.first import FirstAnswer
from wirecost.results.report.shared.table import Amount, Table

MESSAGE = "message"
FLOOR = "none"
FIRST_SIZES = 3
"""Columns of sizes in the first table."""
CALLS = {
    "together": "one call for all",
    "each": "a call each",
    "array": "one array variable",
    "buffers": "one call, arrays kept",
}
NAMES = {
    FLOOR: "nothing: write, read",
    "osmp": "OSMP pointer",
    "binary": "binary",
    "clocked": "binary with clock",
    "memory-1": "memory, 1 buffer",
    "memory-2": "memory, 2 buffers",
    "memory-3": "memory, 3 buffers",
    "memory-2-memfd": "memory, 2, memfd",
    "binary-processes": "binary, 2 processes",
    "memory-2-processes": "memory, 2 processes",
    "memory-2-memfd-processes": "memfd, 2 processes",
    "binary-parallel-processes": "binary, 2 in parallel",
    "memory-2-parallel-processes": "memory, 2 in parallel",
}
FIRST = {
    ("C", 3): (FLOOR, "osmp", "binary", "clocked", "memory-1", "memory-2",
               "binary-processes", "memory-2-processes"),
    ("FMPy", 3): ("binary", "memory-2"),
}  # fmt: skip
"""Contenders of the first table, by importer and FMI."""
DEFAULT_FMI = 3


def first_answer(race: FmiRace) -> FirstAnswer:
    """Return the sentence, the table of messages, and what to do."""
    messages = [run for run in race.runs if run.kind == MESSAGE]
    steps = [
        "Get and set many values in one call; keep FMPy's arrays.",
        "Above 1 MB, share memory: docs/results/advice-memory.md.",
    ]
    sentence = " ".join(filter(None, (_variable(race.runs), _message(messages))))
    first = [run for run in messages if run.contender in FIRST.get((run.importer, run.fmi), ())]
    return FirstAnswer(sentence, _messages(first, FIRST_SIZES), steps)


def tables(race: FmiRace) -> list[Table]:
    """Return all tables: values of each type, messages, and what did not run."""
    kinds = dict.fromkeys(run.kind for run in race.runs)
    found = [
        _values(kind, [run for run in race.runs if run.kind == kind])
        for kind in kinds
        if kind != MESSAGE
    ]
    found.append(_messages([run for run in race.runs if run.kind == MESSAGE]))
    headings = ["importer", "why"]
    found.append(Table("Not measured", headings, [list(one) for one in race.absent.items()], []))
    return found


def _variable(runs: Iterable[FmiRun]) -> str:
    """Say what one Float64 of FMI 3 costs, in the case of most values."""
    of = {
        (run.importer, run.contender, run.number): run
        for run in runs
        if run.kind == "float64" and run.fmi == DEFAULT_FMI
    }
    most = max(number for _, _, number in of)

    def cost(importer: str, calls: str) -> Amount:
        return units.time(_per_value(of[importer, calls, most]))

    return (
        f"Get and set of a Float64, {most:,} at once: {cost('C', 'together')} in C, "
        f"{cost('FMPy', 'together')} in FMPy; in a call each {cost('C', 'each')} and "
        f"{cost('FMPy', 'each')}."
    )


def _per_value(run: FmiRun) -> float:
    return sum(median(samples) for samples in run.parts.values()) / run.number


def _message(runs: Sequence[FmiRun]) -> str:
    """Say what a binary costs beside shared memory, in the largest size."""
    largest = max(run.bytes for run in runs)
    of = {(run.importer, run.contender): run for run in runs if run.bytes == largest}
    parts = []
    for importer in ("C", "FMPy"):
        times = _factor(of[importer, "binary"], of[importer, "memory-2"])
        if times is not None:
            parts.append(f"{times.value:.1f} × [{times.low:.1f}, {times.high:.1f}] in {importer}")
    joined = " and ".join(parts)
    return f"A binary of {_size(largest)} takes longer than shared memory by {joined}."


def _factor(run: FmiRun, to: FmiRun) -> intervals.Estimate | None:
    series = [np.array(one.parts["exchange"]) for one in (run, to)]
    resampled = [_resampled(one) for one in series]
    return intervals.ratio(series[0], resampled[0], series[1], resampled[1])


def _resampled(samples: np.ndarray) -> np.ndarray:
    return intervals.Resampler(np.zeros(len(samples), np.int64)).medians(samples)


def _messages(runs: Sequence[FmiRun], most: int = 0) -> Table:
    """Return times of an exchange by size; ``most``: sizes that a narrow screen has room for."""
    sizes = sorted({run.bytes for run in runs})
    if most and len(sizes) > most:
        sizes = [sizes[0], *sizes[-most + 1 :]]
    rows = []
    for importer, fmi, carrier in dict.fromkeys(
        (run.importer, run.fmi, run.contender) for run in runs
    ):
        own = {
            run.bytes: run
            for run in runs
            if (run.importer, run.fmi, run.contender) == (importer, fmi, carrier)
        }
        largest = own[max(own)]
        copies = largest.importer_copies + round(largest.copied_bytes / largest.bytes)
        cells = [_interval(own[size].parts["exchange"], bool(most)) for size in sizes]
        by = importer if fmi == DEFAULT_FMI else f"{importer}, FMI {fmi}"
        rows.append([NAMES[carrier], by, *cells, str(copies)])
    notes = [
        "Medians. One FMU writes the message, the other reads all of it."
    ]
    headings = ["carried as", "importer", *map(_size, sizes), "copies"]
    return Table("Messages from one FMU to another", headings, rows, notes)


def _values(kind: str, runs: Sequence[FmiRun]) -> Table:
    counts = sorted({run.number for run in runs})
    rows = []
    for importer, fmi, calls in dict.fromkeys(
        (run.importer, run.fmi, run.contender) for run in runs
    ):
        own = {
            run.number: run
            for run in runs
            if (run.importer, run.fmi, run.contender) == (importer, fmi, calls)
        }
        cells = [
            _interval([sample / count for sample in own[count].parts[part]])
            for count in counts
            for part in ("get", "set")
        ]
        rows.append([f"{importer}, FMI {fmi}: {CALLS[calls]}", *cells])
    headings = ["", *(f"{part} {count:,}" for count in counts for part in ("get", "set"))]
    size = f" of {runs[0].bytes} B" if kind in ("string", "binary") else ""
    notes = ["Time of one value: median and its 95 % interval."]
    return Table(f"Values: {kind}{size}", headings, rows, notes)


def _interval(samples: Sequence[float], short: bool = False) -> Amount:
    middle = units.time(median(samples))
    if short or len(samples) == 1:
        return middle
    found = intervals.median(np.array(samples), _resampled(np.array(samples)))
    return middle + f" [{units.time(found.low)}, {units.time(found.high)}]"


def _size(count: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return str(units.size(count))
