# SPDX-License-Identifier: Apache-2.0
"""A user's own message: what it costs in each library and mode, and which of its fields cost it."""

from __future__ import annotations

from collections.abc import Callable, Collection

import polars as pl

from wirecost.results.analysis.message_doubts import Key, doubts, process_ends
from wirecost.results.analysis.message_fields import STAGES, FieldShares, shares
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas.message import ALL, MessageAbout, MessageMeta
from wirecost.results.report.scenarios import ScenarioContent, built_with, joined
from wirecost.results.report.scenarios.message.changes import (
    changes,
    languages_asked,
    many_fields,
    wire_of,
)
from wirecost.results.report.scenarios.message.field_table import field_table, percent
from wirecost.results.report.scenarios.message.first import first_answer
from wirecost.results.report.scenarios.message.stages import at_rate, stage_tables
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import (
    FEWEST,
    LANGUAGES,
    contenders_table,
    races,
    stages_table,
)
from wirecost.results.report.shared.table import present


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta = results.meta_as(MessageMeta)
    whole = [row for row in rows if row.variant == ALL]
    samples = with_all_columns(results.samples)
    by_field = shares(samples)
    of_all = samples.filter(pl.col("variant") == ALL)
    doubted = doubts(whole, of_all)
    has_programs = bool(meta.environment.get("compiler"))
    columns: dict[str, Callable[[MessageAbout], str]] = {
        "wire": lambda contender: contender.wire,
        "library": lambda contender: contender.library,
    }
    return ScenarioContent(
        f"{meta.type}: what a message costs",
        joined(_ended(meta, whole), *_lead(meta, whole, by_field, doubted)),
        present(
            *stage_tables(meta, whole, doubted),
            changes(meta, whole, doubted, process_ends(of_all)),
            at_rate(meta, whole),
            field_table(meta, by_field, languages_asked(meta)),
        ),
        present(
            many_fields(meta),
            contenders_table(meta.contenders, columns),
            *(stages_table(rows, race) for race in races(rows)),
        ),
        f"C++ programs: {built_with(meta.environment)}." if has_programs else "",
        begins_with_lead=True,
        first=first_answer(meta, whole, doubted, process_ends(of_all)),
    )


def _ended(meta: MessageMeta, rows: list[Row]) -> str:
    """Say what an interrupted run lacks."""
    if not meta.interrupted:
        return ""
    failed = {(run.lang, run.contender, run.mode) for run in meta.runs if run.failure}
    measured = {(row.lang, row.contender, row.mode) for row in rows} | failed
    lacking = [name for name in meta.contenders if tuple(name.split(" ", 2)) not in measured]
    text = f"Incomplete: the run ended early ({meta.interrupted})"
    return f"{text}; not measured: {', '.join(lacking)}." if lacking else f"{text}."


def _lead(
    meta: MessageMeta, rows: list[Row], by_field: list[FieldShares], doubted: Collection[Key]
) -> list[str | None]:
    """Return a sentence for each language, and one on the field with most bytes."""
    totals = [row for row in rows if row.stage == "total"]
    sentences: list[str | None] = [
        _in_language(meta, [row for row in totals if row.lang == lang], doubted)
        for lang in dict.fromkeys(row.lang for row in totals)
    ]
    return [*sentences, _heaviest(meta, by_field)] if totals else []


def _in_language(meta: MessageMeta, totals: list[Row], doubted: Collection[Key]) -> str:
    """Compare the baseline of one language with the quickest on its wire and on any."""
    base = next((row for row in totals if row.ratio and row.ratio.to == row.name), totals[0])
    wire = wire_of(meta, base)
    text = (
        f"In {LANGUAGES.get(base.lang, base.lang)} one {meta.type} of {units.size(base.bytes)} "
        f"takes {units.time(base.median_ns)} with {base.name}"
    )
    if (base.lang, base.name) in doubted:
        return f"{text}; this time is in doubt, as the note below its table says."
    sure = [row for row in totals if (row.lang, row.name) not in doubted]
    same_wire = [row for row in sure if wire_of(meta, row) == wire]
    quickest = [min(group, key=lambda row: row.median_ns) for group in (same_wire, sure)]
    for row in {row.name: row for row in quickest if row.name != base.name}.values():
        text += f", {units.time(row.median_ns)} with {row.name}"
        if wire_of(meta, row) != wire:
            text += " on another wire"
        if row.ratio is not None and row.repetitions >= FEWEST:
            text += f" ({units.speed(row.ratio.median)})"
    return f"{text}."


def _heaviest(meta: MessageMeta, by_field: list[FieldShares]) -> str | None:
    """Name the field with most bytes, and its part of the time."""
    inner = [field for field in meta.fields if field.all < meta.counted_bytes]
    if not inner:
        return None
    field = max(inner, key=lambda field: field.all)
    text = f"{percent(field.all / meta.counted_bytes)} of its bytes are `{field.path}`"
    for shares_of in by_field[:1]:
        parts = [
            f"{100 * share.value:.0f} % of {stage[:-1]}ing"
            for stage in STAGES[:2]
            if (share := shares_of.of.get((field.path, stage))) is not None
        ]
        if parts:
            text += f", which is {' and '.join(parts)} with {shares_of.contender}"
    return f"{text}."
