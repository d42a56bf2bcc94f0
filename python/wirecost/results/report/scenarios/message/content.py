# SPDX-License-Identifier: Apache-2.0
"""A user's own message: what it costs in each library and mode, and which of its fields cost it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wirecost.results.analysis.message_doubts import doubts, process_ends
from wirecost.results.analysis.message_fields import shares
from wirecost.results.analysis.message_whole import whole_rows, whole_samples
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas.message import MessageAbout, MessageMeta
from wirecost.results.report.scenarios import ScenarioContent, built_with
from wirecost.results.report.scenarios.message.changes import (
    changes,
    languages_asked,
    many_fields,
)
from wirecost.results.report.scenarios.message.field_table import field_table
from wirecost.results.report.scenarios.message.first import first_answer
from wirecost.results.report.scenarios.message.stages import at_rate, stage_tables
from wirecost.results.report.shared.races import (
    LANGUAGES,
    contenders_table,
    races,
    stages_table,
)
from wirecost.results.report.shared.table import present


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta = results.meta_as(MessageMeta)
    whole = whole_rows(rows)
    samples = with_all_columns(results.samples)
    by_field = shares(samples)
    of_all = whole_samples(samples)
    doubted = doubts(whole, of_all)
    first = first_answer(meta, whole, doubted, process_ends(of_all))
    if first:
        before = [ended] if (ended := _ended(meta, whole)) else []
        before += [
            f"{LANGUAGES[lang]} was not measured: {meta.not_run[lang]}."
            for lang in LANGUAGES
            if lang in meta.not_run
        ]
        first = replace(first, sentence=" ".join([*before, first.sentence]))
    has_programs = bool(meta.environment.get("compiler"))
    columns: dict[str, Callable[[MessageAbout], str]] = {
        "wire": lambda contender: contender.wire,
        "library": lambda contender: contender.library,
    }
    return ScenarioContent(
        f"What a message of {meta.type} costs",
        first.sentence if first else _ended(meta, whole) or None,
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
        first=first,
    )


def _ended(meta: MessageMeta, rows: list[Row]) -> str:
    """Say what an interrupted run lacks; of a library that lacks all modes its name."""
    if not meta.interrupted:
        return ""
    failed = {(run.lang, run.contender, run.mode) for run in meta.runs if run.failure}
    measured = {(row.lang, row.contender, row.mode) for row in rows} | failed
    libraries = {of[:2] for of in measured}
    names = {name: tuple(name.split(" ", 2)) for name in meta.contenders}
    lacking = dict.fromkeys(
        name if of[:2] in libraries else " ".join(of[:2])
        for name, of in names.items()
        if of not in measured
    )
    text = f"This is incomplete, because the run ended early ({meta.interrupted})"
    return f"{text}; not measured: {', '.join(lacking)}." if lacking else f"{text}."
