# SPDX-License-Identifier: Apache-2.0
"""Stages and total of every contender of a message, a table per language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wirecost.analysis.message_doubts import MOST_APART, MOST_OFF, Doubt, Key
from wirecost.analysis.summary import Row
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    FEWEST,
    LANGUAGES,
    baseline,
    contenders,
    races,
    ratio_text,
    samples_taken,
    stage_winners,
)
from wirecost.report.shared.table import Table

STEPS = ("fill", "encode", "decode", "read", "destroy")
MODES = {
    "new": "new objects for each message",
    "reused": "the same objects again",
    "view": "reading where the bytes lie",
    "arena": "objects on an arena that is reset",
    "best": "wrapped bytes, reused buffers and aliasing",
}
READ_IN_PYTHON = (
    " read in Python: every field once, by name; numbers are added, lists of them by sum(), texts "
    "and bytes hashed."
)


def stage_tables(
    meta: dict[str, Any], rows: list[Row], doubted: Mapping[Key, Doubt]
) -> list[Table]:
    """The first one's note explains all of them; each has one of its own doubts."""
    tables: list[Table] = []
    for race in races(rows):
        winners = stage_winners(rows, race)
        body = []
        for name, stages in contenders(rows, race):
            total = stages["total"]
            cells = [
                units.time(stages[stage].median_ns) + ("*" if winners[stage] == name else "")
                for stage in (*STEPS, "total")
            ]
            body.append([name, *cells, ratio_text(total, total.ratio), units.size(total.bytes)])
        notes = [] if tables else [_legend(meta, rows)]
        notes += _doubts(
            [doubt for (lang, _), doubt in doubted.items() if lang == race[4]], race[4]
        )
        title = f"{LANGUAGES.get(race[4], race[4])} · {meta['type']} · time per message"
        headings = ["contender", *STEPS, "total", f"× {baseline(rows, race)}", "size"]
        optional, bars = ("destroy", "size", "fill", "read"), ((*STEPS, "total"), "size")
        tables.append(Table(title, headings, body, notes, optional, bars))
    return tables


def _legend(meta: dict[str, Any], rows: list[Row]) -> str:
    has_interval = any(row.repetitions >= FEWEST for row in rows)
    interval = (
        "with its 95 % interval"
        if has_interval
        else f"without an interval, which takes {FEWEST} processes"
    )
    modes = {word for row in rows for word in row.mode.split()}
    said = "; ".join(f"{mode}: {what}" for mode, what in MODES.items() if mode in modes)
    read = READ_IN_PYTHON if any(row.lang == "python" for row in rows) else ""
    return (
        f"{meta['content']}. Medians of {samples_taken(rows[0], 'samples')}, per message; in each "
        "round every contender has a new process. total: all stages of each message in a row, "
        "while its data is in the caches; a stage is timed over all messages before the next "
        f"stage. ×: ratio of totals, {interval}; * quickest. {said}.{read}"
    )


def _doubts(found: Iterable[Doubt], lang: str) -> list[str]:
    """Why some rows allow no advice."""
    off, apart = [], []
    for one in found:
        if one.stages is not None:
            off.append(f"{one.name} (sum {units.time(one.stages)}, total {units.time(one.total)})")
        if one.processes is not None:
            low, high = map(units.time, one.processes)
            apart.append(f"{one.name} ({low} to {high})")
    notes = []
    if off:
        notes.append(
            f"Stages and total differ by more than {100 * MOST_OFF:.0f} %: {', '.join(off)}."
        )
    if apart:
        notes.append(
            f"Medians of processes differ by more than {MOST_APART:.0f}×: {', '.join(apart)}."
        )
    if notes:
        load = "Other load on the machine"
        if lang == "java":
            load += ", which also delays the JIT compiler,"
        notes[-1] += (
            f" No factor is advised from these rows. {load} is the usual cause: run again while it "
            "is idle."
        )
    return notes
