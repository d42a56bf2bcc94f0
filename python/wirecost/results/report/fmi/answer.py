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
EXCHANGE = "One FMU writes the message, the other reads all of it."
INTERVALS = "Medians and their 95 % intervals."


def first_answer(race: FmiRace) -> FirstAnswer:
    """Return the sentence, the table of messages, and what to do."""
    messages = [run for run in race.runs if run.kind == MESSAGE]
    steps = ["Get and set many values in one call; keep FMPy's arrays.", _advice(messages)]
    sentence = " ".join(filter(None, (_variable(race.runs), _message(messages))))
    first = [run for run in messages if run.contender in FIRST.get((run.importer, run.fmi), ())]
    return FirstAnswer(sentence, _messages(first), steps)


def tables(race: FmiRace) -> list[Table]:
    """Return all tables: each case of values and of messages, and what did not run."""
    cases: dict[tuple[str, int, int], list[FmiRun]] = {}
    for run in race.runs:
        cases.setdefault((run.kind, run.number, run.bytes), []).append(run)
    found = [
        _messages_of(runs) if kind == MESSAGE else _values(runs)
        for (kind, _, _), runs in cases.items()
    ]
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
    return f"Time of a binary of {_size(largest)} to shared memory's: {joined}."


def _advice(runs: Sequence[FmiRun]) -> str:
    """Say from which size on shared memory is quicker than binaries, whatever the noise."""
    of = {(run.importer, run.contender, run.bytes): run for run in runs}
    gains = []
    for importer in ("C", "FMPy"):
        least = None
        for size in sorted({run.bytes for run in runs}, reverse=True):
            times = _factor(of[importer, "binary", size], of[importer, "memory-2", size])
            if times is None or times.low <= 1:
                break
            least = size
        if least is not None:
            gains.append(f"{_size(least)} in {importer}")
    sizes = f"Share memory from {', from '.join(gains)}" if gains else "No size gains from memory"
    return f"{sizes}: docs/results/advice-memory.md."


def _factor(run: FmiRun, to: FmiRun) -> intervals.Estimate | None:
    series = [np.array(one.parts["exchange"]) for one in (run, to)]
    resampled = [_resampled(one) for one in series]
    return intervals.ratio(series[0], resampled[0], series[1], resampled[1])


def _resampled(samples: np.ndarray) -> np.ndarray:
    return intervals.Resampler(np.zeros(len(samples), np.int64)).medians(samples)


def _messages(runs: Sequence[FmiRun]) -> Table:
    """Return median times of an exchange by size: the least, the middle and the largest."""
    sizes = sorted({run.bytes for run in runs})
    if len(sizes) > FIRST_SIZES:
        sizes = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    by_contender: dict[tuple[str, str], dict[int, FmiRun]] = {}
    for run in runs:
        by_contender.setdefault((run.importer, run.contender), {})[run.bytes] = run
    rows = []
    for (importer, carrier), own in by_contender.items():
        cells = [units.time(median(own[size].parts["exchange"])) for size in sizes]
        rows.append([NAMES[carrier], importer, *cells, _copies(own[sizes[-1]])])
    headings = ["carried as", "importer", *map(_size, sizes), "copies"]
    return Table("Messages from one FMU to another", headings, rows, [f"Medians. {EXCHANGE}"])


def _messages_of(runs: Sequence[FmiRun]) -> Table:
    rows = [
        [NAMES[run.contender], _importer(run), _interval(run.parts["exchange"]), _copies(run)]
        for run in runs
    ]
    headings = ["carried as", "importer", "exchange", "copies"]
    notes = [f"{INTERVALS} {EXCHANGE}"]
    return Table(f"Messages of {_size(runs[0].bytes)}", headings, rows, notes)


def _values(runs: Sequence[FmiRun]) -> Table:
    rows = []
    for run in runs:
        each = [[sample / run.number for sample in run.parts[part]] for part in ("get", "set")]
        rows.append([CALLS[run.contender], _importer(run), *map(_interval, each)])
    kind, number = runs[0].kind, runs[0].number
    size = f" of {runs[0].bytes} B" if kind in ("string", "binary") else ""
    headings = ["called", "importer", "get", "set"]
    return Table(
        f"Values: {number:,} {kind}{size}", headings, rows, [f"Times of one value. {INTERVALS}"]
    )


def _importer(run: FmiRun) -> str:
    return f"{run.importer}, FMI {run.fmi}"


def _copies(run: FmiRun) -> str:
    return str(run.importer_copies + round(run.copied_bytes / run.bytes))


def _interval(samples: Sequence[float]) -> Amount:
    """Return ``4.02 ns [3.91, 4.15]``."""
    middle = units.time(median(samples))
    if len(samples) == 1:
        return middle
    found = intervals.median(np.array(samples), _resampled(np.array(samples)))
    factor = {unit: factor for factor, unit in units.TIME_UNITS}[middle.split()[1]]
    low, high = (units.significant(end / factor) for end in (found.low, found.high))
    return middle + f" [{low}, {high}]"


def _size(count: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return str(units.size(count))
