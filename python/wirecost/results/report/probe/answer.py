# SPDX-License-Identifier: Apache-2.0
"""The answer of probe logs: what costs most, what its slow executions share, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import polars as pl

from wirecost.results.analysis.causes import Explanation
from wirecost.results.analysis.chains.hops import hops_of
from wirecost.results.analysis.chains.listed import Listed, listed
from wirecost.results.analysis.probe_sections import executions
from wirecost.results.analysis.ros_names import RosPlace, places_of, shown_names
from wirecost.results.records.probe_log import ProbeLog
from wirecost.results.records.recorded import event_tables
from wirecost.results.records.recorded_machine import Started
from wirecost.results.report.probe.judged import DRAWN, Judged
from wirecost.results.report.probe.machine import UNKNOWN, RecordedMachine
from wirecost.results.report.probe.nodes import node_answer, node_lead, node_table, slow_callback
from wirecost.results.report.probe.tables import (
    counter_table,
    document,
    first_answer,
    log_table,
    loss_doubts,
    losses,
    miss_table,
    time_table,
    tree_table,
)
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.causes import (
    all_sentences,
    cause_table,
    record_next,
    worth_advice,
)
from wirecost.results.report.shared.table import Table, present
from wirecost.system.counted import counted
from wirecost.system.function_names import shortened

if TYPE_CHECKING:
    from wirecost.results.report.shared.figure import Figure

MOST_FOLLOWED = 300_000
"""Records that are searched for chains; logs with more are not."""
WIDTH = 80


def probe_answer(
    logs: list[ProbeLog],
    judged: Judged,
    machines: Sequence[RecordedMachine] = (),
    started: Started | None = None,
    more: str = "",
) -> Answer:
    """Return the answer of logs. ``started``: how they were recorded; ``more``: the last line."""
    started = started or Started()
    names = shown_names(section.section for section in judged.sections)
    places = places_of(names)
    nodes = shortened(judged.nodes, names)
    causes, left_out = worth_advice(shortened(judged.explanations, names), nodes)
    causes = _explained(causes, logs)
    short = shortened(judged.sections, names)
    if places:
        first = _of_nodes(logs, judged, causes, places, started)
        whole = node_table(judged.sections, places, losses(logs))
    else:
        slow = shortened(judged.slow, names)
        is_deadline = judged.limit_ns is not None
        first = first_answer(short, slow, causes, started, is_deadline=is_deadline)
        first = replace(first, doubts=loss_doubts(logs))
        whole = time_table(short, logs)
    late = miss_table(shortened(judged.misses, names), judged.limit_ns or 0.0)
    tables = [whole, tree_table(nodes), counter_table(short, logs), cause_table(causes), late]
    misses = judged.misses if judged.limit_ns else None
    return replace(
        first,
        table=replace(first.table, cut="front"),
        more=more,
        heading=f"Probes of {', '.join(dict.fromkeys(log.program or 'a program' for log in logs))}",
        about=[_recorded(logs)],
        sections=[
            *first.sections,
            Section(
                [replace(table, cut="front") for table in present(*tables)],
                lines=[*all_sentences(causes, nodes), *left_out],
            ),
            *_machines(machines),
            Section([log_table(logs)], "Logs", _not_drawn(judged, names), is_apart=True),
        ],
        figures=lambda _: _figures(logs, judged.limit_ns),
        document=document(
            judged.sections, judged.explanations, logs, misses, judged.nodes, judged.slow
        ),
    )


def _of_nodes(
    logs: list[ProbeLog],
    judged: Judged,
    causes: list[Explanation],
    places: Mapping[str, RosPlace],
    started: Started,
) -> Answer:
    """Return the answer of nodes, whose callbacks are called as ROS engineers call them."""
    lead = node_lead(judged.sections, places, _chains(logs), judged.limit_ns, judged.misses)
    said = slow_callback(
        judged.slow, judged.explanations, places, started, is_deadline=judged.limit_ns is not None
    )
    notes = losses(logs)
    text, table = node_answer(judged.sections, places, lead, causes, notes, WIDTH, said)
    whole, _ = node_answer(judged.sections, places, lead, causes, notes, None, said)
    hint = record_next(causes)
    sections = [Section(lines=[whole])] if whole != text else []
    return Answer(text, table, doubts=[(hint, "bold")] if hint else [], sections=sections)


def _chains(logs: list[ProbeLog]) -> Listed | None:
    """Return all chains, unless that would take longer than the rest."""
    if sum(log.count for log in logs) > MOST_FOLLOWED:
        return None
    return listed(hops_of(pl.concat(event_tables(logs), how="diagonal")))


def _not_drawn(judged: Judged, names: Mapping[str, str]) -> list[str]:
    totals: dict[str, int] = {}
    for section in judged.sections:
        totals[section.section] = totals.get(section.section, 0) + section.total_ns
    shorter = sorted(totals, key=lambda name: -totals[name])[DRAWN:]
    left_out = ", ".join(names[name] for name in shorter)
    if not left_out:
        return []
    return [f"These sections have no figures, because other sections took more time: {left_out}."]


def _explained(causes: list[Explanation], logs: list[ProbeLog]) -> list[Explanation]:
    """Return those in which something is known: without counters nothing could explain."""
    if any(log.counters for log in logs):
        return causes
    return [cause for cause in causes if cause.costs]


def _machines(machines: Sequence[RecordedMachine]) -> list[Section]:
    """Return what the doctor saw while the logs were written."""
    title = "Machine while recording"
    if not machines:
        return [Section(title=title, lines=[UNKNOWN], is_apart=True)]
    tables = [
        Table(
            f"The doctor's verdict: {machine.verdict} · {machine.path} · {machine.written}",
            ["check", "state"],
            [list(check) for check in machine.checks],
            [f"Machine: {'; '.join(machine.doubts)}"] if machine.doubts else [],
            texts=("state",),
        )
        for machine in machines
    ]
    return [Section(tables, title, is_apart=True)]


def _figures(logs: list[ProbeLog], limit_ns: float | None) -> list[Figure]:
    from wirecost.results.report.probe.figures import probe_figures  # noqa: PLC0415 - a second to import

    return probe_figures(pl.concat(map(executions, event_tables(logs))), logs, limit_ns)


def _recorded(logs: list[ProbeLog]) -> str:
    begins = [
        int(times.min()) + log.wall_minus_monotonic_ns
        for log in logs
        if len(times := log.records["begin_ns"][log.records["begin_ns"] > 0])
    ]
    count = sum(log.count for log in logs)
    records = f"{counted(count, 'record')} of {counted(len(logs), 'thread')}"
    try:
        begin = datetime.fromtimestamp(min(begins) / 1e9, UTC)
    except (ValueError, OverflowError, OSError):
        return records
    return f"recorded {begin:%Y-%m-%d %H:%M:%S} UTC · {records}"
