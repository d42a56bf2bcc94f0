# SPDX-License-Identifier: Apache-2.0
"""The answer of ``bench static``: what static data once saves, beside the best Protobuf."""

from __future__ import annotations

from dataclasses import replace

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent
from wirecost.results.report.scenarios.any import content as plain
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.races import races
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted

from .schema import StaticMeta

ONCE = "protobuf-once"
STEPS = [
    "To try it on your own trace:\nwirecost trace split drive.osi once.osi",
    "In your simulator: docs/formats/static-once.md.",
]
NOTE = (
    "Of a step. -once: lanes are sent before the first step; -changed: of objects, too, only what "
    "differs; others: everything is in each message."
)


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report of the one race."""
    meta = results.meta_as(StaticMeta)
    usual = plain.content(results, rows)
    (race,) = races(rows)
    lanes, objects = counted(meta.lanes, "lane"), counted(meta.objects, "moving object")
    table = plain.race_table(rows, race, title=f"{race[0]}: {lanes}, {objects}", notes=[NOTE])
    lead = _answer(meta, rows)
    tables = [table, *([_changes(meta)] if meta.changes else [])]
    first = Answer(lead, table, STEPS)
    return replace(usual, lead=lead, tables=tables, first=first)


def _answer(meta: StaticMeta, rows: list[Row]) -> str:
    totals = {row.contender: row for row in rows if row.stage == plain.TOTAL}
    once = totals.get(ONCE)
    if once is None or once.ratio_best is None:
        return "Sending static data once could not be measured; --tables prints why."
    best = totals[once.ratio_best.to]
    text = (
        f"Sending static data once needs {units.two_digits(best.bytes / once.bytes)}× fewer "
        f"bytes, and is {plain.compared(once, once.ratio_best)} than {best.contender}, the best "
        "Protobuf."
    )
    if meta.covered < 1:
        text += f" {100 * meta.covered:.0f} % of a frame was sent: lanes, boundaries and objects."
    return text


def _changes(meta: StaticMeta) -> Table:
    """Return what of each field differs between steps."""
    body = [
        [change.path, units.size(round(change.bytes)), units.percent(change.changed)]
        for change in meta.changes
    ]
    headings = ["field", "bytes per step", "changed"]
    return Table("What differs from the step before", headings, body, [])
