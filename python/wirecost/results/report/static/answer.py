# SPDX-License-Identifier: Apache-2.0
"""The answer of ``bench static``: what static data once saves, beside the best Protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from wirecost.results.analysis.intervals import Estimate, Resampler, ratio
from wirecost.results.records.static import StaticRace, StaticRun
from wirecost.results.report.shared import units
from wirecost.results.report.shared.first import FirstAnswer
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

ONCE = "protobuf-once"
BASELINE = "protobuf"


@dataclass(frozen=True)
class StaticRow:
    """A contender beside the best Protobuf with all in each message."""

    run: StaticRun
    total_ns: float
    beside: Estimate | None
    """Ratio of its time to that one's; None: it is that one."""


def totals(run: StaticRun) -> npt.NDArray[np.float64]:
    """Return the time of each round: written and read."""
    both = zip(run.write_ns, run.read_ns, strict=True)
    return np.array([write + read for write, read in both], dtype=np.float64)


def best(race: StaticRace) -> StaticRun:
    """Return the quickest Protobuf that sends all."""
    whole = [run for run in race.runs if run.sent == "all"]
    own = [run for run in whole if run.name.startswith(BASELINE)]
    return min(own or whole, key=lambda run: float(np.median(totals(run))))


def rows(race: StaticRace) -> list[StaticRow]:
    """Return a row for each contender, in the order of the race."""
    baseline = best(race)
    found = []
    for run in race.runs:
        one, to = totals(run), totals(baseline)
        beside = None
        if run is not baseline and len(one) == len(to):
            resampler = Resampler(np.array(run.processes, dtype=np.int64))
            beside = ratio(one, resampler.medians(one), to, resampler.medians(to))
        found.append(StaticRow(run, float(np.median(one)), beside))
    return found


def table(race: StaticRace) -> Table:
    """Return the table of all contenders."""
    columns = [
        Column[StaticRow]("contender", lambda row: row.run.name),
        Column[StaticRow]("bytes", lambda row: units.size(round(row.run.bytes))),
        Column[StaticRow]("write", lambda row: units.time(median(row.run.write_ns))),
        Column[StaticRow]("read", lambda row: units.time(median(row.run.read_ns))),
        Column[StaticRow]("total", lambda row: units.time(row.total_ns)),
        Column[StaticRow]("beside best Protobuf", _beside),
        Column[StaticRow]("95 % interval", _interval, optional=1),
    ]
    notes = [
        "Of a step, medians. -once: lanes sent before; -changed: of objects, too, only what "
        "differs; others: all in each message."
    ]
    title = (
        f"{race.source}: {counted(race.lanes, 'lane')}, {counted(race.objects, 'moving object')}"
    )
    return Table.of(title, rows(race), columns, notes)


def _beside(row: StaticRow) -> str:
    return "best Protobuf" if row.beside is None else units.speed(row.beside.value)


def _interval(row: StaticRow) -> str:
    return "–" if row.beside is None else units.speeds(row.beside.low, row.beside.high)


def changes(race: StaticRace) -> Table:
    """Return what of each field differs between steps."""
    headings = ["field", "bytes per step", "changed"]
    listed = [
        [one.path, units.size(round(one.bytes)), units.percent(one.changed)] for one in race.changes
    ]
    return Table("What differs from the step before", headings, listed, [])


def first_answer(race: StaticRace) -> FirstAnswer:
    """Return the sentence, the table, and what to do."""
    shown = table(race)
    baseline = best(race)
    once = next((row for row in rows(race) if row.run.name == ONCE), None)
    if once is None or once.beside is None:
        return FirstAnswer("Static data once could not be measured; --json says why.", shown)
    fewer = baseline.bytes / once.run.bytes
    text = (
        f"Static data once: {units.two_digits(fewer)}× fewer bytes, and "
        f"{units.speed(once.beside.value)} ({units.speeds(once.beside.low, once.beside.high)}) "
        f"than {baseline.name}, the best Protobuf."
    )
    if race.covered < 1:
        text += (
            f" Sent were {100 * race.covered:.0f} % of a frame: lanes, their boundaries, objects."
        )
    steps = [
        "Try it on a trace of yours:\nwirecost trace split drive.osi once.osi",
        "In your simulator: docs/formats/static-once.md.",
    ]
    return FirstAnswer(text, shown, steps)
