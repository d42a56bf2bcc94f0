# SPDX-License-Identifier: Apache-2.0
"""Report on transports: what to take, which is for what, and all that was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirecost.results.analysis.summary import Row
from wirecost.results.analysis.transport.measured_transport import MeasuredTransport, measured
from wirecost.results.records.folder import Results
from wirecost.results.records.longer_run import TAIL_MESSAGES, run_for_tail
from wirecost.results.records.schemas.transport import TransportMeta
from wirecost.results.report.scenarios import ScenarioContent
from wirecost.results.report.scenarios.transport import tables
from wirecost.results.report.scenarios.transport.advice import DEFAULT, MATCHED, advice, lead
from wirecost.results.report.scenarios.transport.decisions import decision_table
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Table, present

TITLE = "What a middleware costs"
WARN = "warn"
FIRST_COLUMNS = ("contender", "p50", "p99", "max", "losses", "CPU")
"""Columns of a case's table that answer first."""


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta, with_floors = results.meta_as(TransportMeta), measured(rows)
    cases = [case for case in with_floors if not case.run.is_floor]
    every = present(
        decision_table(meta, cases),
        *tables.tables(with_floors),
        tables.failed_table(meta),
        tables.broken_table(meta),
        *tables.peak_tables(with_floors),
        tables.binding_table(cases),
        tables.fault_table(meta),
    )
    return ScenarioContent(
        TITLE,
        lead(meta, cases),
        every,
        present(tables.network_table(meta), tables.transports_table(meta)),
        "",
        present(tables.settings_table(meta)),
        first=_first(meta, cases, every, tables.floors_of(with_floors)),
    )


def _first(
    meta: TransportMeta, cases: Sequence[MeasuredTransport], every: Sequence[Table], floors: str
) -> Answer | None:
    answer = advice(meta, cases)
    if answer is None or not every:
        return None
    if len({case.case for case in cases}) == 1:
        table = _only(tables.tables(cases)[0], FIRST_COLUMNS)
    else:
        table = replace(every[0], rows=_quickest_first(every[0].rows, cases))
    notes = [*_circumstances(meta, cases), *filter(None, [floors]), *table.notes]
    table = replace(table, notes=notes)
    return Answer(answer, table, _steps(meta, cases, answer))


def _only(table: Table, headings: Sequence[str]) -> Table:
    """Return a table with these columns alone, and without notes on any."""
    places = [table.headings.index(heading) for heading in headings]
    rows = [[row[column] for column in places] for row in table.rows]
    notes = [note for note in table.notes if not table.explains(note)]
    return Table(table.title, list(headings), rows, notes)


def _quickest_first(rows: list[list[str]], cases: Sequence[MeasuredTransport]) -> list[list[str]]:
    """Sort rows of transports by the first case: a screen may have room for some of them only."""
    latencies: dict[str, float] = {}
    for case in cases:
        if case.case == cases[0].case and case.delivers:
            for name in (case.who.mware, f"{case.who.mware} {case.who.client}"):
                latencies[name] = min(case.p50_ns, latencies.get(name, math.inf))
    return sorted(rows, key=lambda row: latencies.get(row[0], math.inf))


def _circumstances(meta: TransportMeta, cases: Sequence[MeasuredTransport]) -> list[str]:
    """Return what a reader of the first table must know, each in a line."""
    load = str(meta.doctor.get("load", ""))
    request = "asked for no loss" if meta.asked.get("reliable", True) else "no waiting"
    if queue := meta.asked.get("queue"):
        request += f", {queue} messages at each end"
    changed = tables.changed_defaults(meta)
    exceptions = f", except for {', '.join(changed)} (table Settings)" if changed else ""
    settings = {case.who.settings for case in cases}
    parts = {
        f"The load was {load.removeprefix(WARN).strip(' ()')} when the run started: something "
        "else was running.":
            load.startswith(WARN),
        tables.DDS: tables.has_local_dds(cases),
        f"default: as installed{exceptions}; {MATCHED}: {request}.": {MATCHED, DEFAULT} <= settings,
        f"{MATCHED}: {request}.": settings == {MATCHED},
    }  # fmt: skip
    return [text for text, is_so in parts.items() if is_so]


def _steps(meta: TransportMeta, cases: Sequence[MeasuredTransport], answer: str) -> list[str]:
    """Say how to set what is advised, and what measures a missing 99th percentile."""
    steps = list(_to_set(meta, cases, answer))
    few = min(case.expected for case in cases)
    if longer := run_for_tail(meta.seconds, meta.processes, few):
        steps.append(f"p99 needs {TAIL_MESSAGES:,} arrivals, not {few:,}: add `{longer.option}`.")
    return steps


def _to_set(meta: TransportMeta, cases: Sequence[MeasuredTransport], answer: str) -> Iterator[str]:
    """Say what a program sets to have the matched settings that an answer advises."""
    advised = {
        tables.settings_key(meta, case): case.who.mware
        for case in cases
        if case.who.settings == MATCHED and tables.name(case) in answer
    }
    texts = {key: text for key, text in tables.in_programs(meta).items() if key in advised}
    if len(texts) > 1:
        yield f"What to set in your program to get {MATCHED} is below table Settings."
        return
    for key, text in texts.items():
        yield f"To get {MATCHED} with {advised[key]}, set in your program: {text}."
