# SPDX-License-Identifier: Apache-2.0
"""Probe logs as an HTML page that works offline, and its figures as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from wirecost.results.analysis.causes import Explanation
from wirecost.results.analysis.probe_sections import SectionSummary, summary, turnarounds
from wirecost.results.analysis.probe_tree import Node, tree
from wirecost.results.analysis.ros_names import places_of, shown_names
from wirecost.results.records.probe_log import ProbeLog
from wirecost.results.report.probe.graph import topic_graph
from wirecost.results.report.probe.machine import UNKNOWN, RecordedMachine
from wirecost.results.report.probe.nodes import node_table
from wirecost.results.report.probe.tables import (
    counter_table,
    log_table,
    losses,
    takes_most,
    time_table,
    tree_table,
)
from wirecost.results.report.shared import figure_files
from wirecost.results.report.shared.cause_lead import cause_lead
from wirecost.results.report.shared.causes import (
    all_sentences,
    cause_table,
    record_next,
    worth_advice,
)
from wirecost.results.report.shared.executions import section_figures, valid
from wirecost.results.report.shared.executions.distribution import latencies
from wirecost.results.report.shared.executions.series import Options
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.icicle import boxes, icicle
from wirecost.results.report.shared.page import render
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.function_names import shortened

DRAWN = 16
"""Sections with figures: those that took most of the time in all."""
COMPARED = 6
"""Sections whose times stand in one figure."""
INSIDE = " › "
"""Between the names of sections inside each other."""
OVERVIEW = ""
"""Name of the figures that are of no section alone."""


@dataclass(frozen=True)
class Drawn:
    """A section's figures, each with its number on the page."""

    name: str
    figures: list[tuple[int, Figure]]


def probe_figures(
    executed: pl.DataFrame, logs: list[ProbeLog], deadline_ns: float | None
) -> list[Drawn]:
    """Draw all sections together, then at most ``DRAWN``, the one that took most in all first.

    The executions are those of ``probe_sections.executions``.
    """
    dropped: dict[str, int] = {}
    for log in logs:
        dropped[str(log.process)] = dropped.get(str(log.process), 0) + log.dropped
    options = Options(deadline_ns, dropped=dropped)
    total = pl.col("ns").cast(pl.Float64).sum()
    sums = executed.group_by("section", maintain_order=True).agg(total)
    longest = sums.sort("ns", descending=True, maintain_order=True)["section"].head(DRAWN)
    overview = _overview(executed, list(longest), deadline_ns)
    drawn = [Drawn(OVERVIEW, list(enumerate(overview)))]
    number = len(overview)
    for at, name in enumerate(longest, start=1):
        rows = executed.filter(section=name)
        judged = options if len(turnarounds(rows)) else replace(options, deadline_ns=None)
        figures = section_figures(at, name, rows, judged)
        drawn.append(Drawn(name, list(enumerate(figures, start=number))))
        number += len(figures)
    return drawn


def _overview(
    executed: pl.DataFrame, longest: Sequence[str], deadline_ns: float | None
) -> list[Figure]:
    """Draw nodes with their topics, and the times of the sections that took most."""
    sections = summary(executed)
    names = shown_names(section.section for section in sections)
    timed = turnarounds(executed)
    series = {
        names[name]: ns.to_numpy()
        for name in longest
        if len(ns := valid(timed.filter(section=name))["ns"].cast(pl.Float64))
    }
    figures = [topic_graph(sections, places_of(names)), nested_sections(tree(executed), names)]
    if series:
        first = dict(list(series.items())[:COMPARED])
        figures.append(
            latencies("times", "Times of the sections that take most", first, deadline_ns)
        )
    # The times come before their parts, as they show deadlines.
    figures.sort(key=lambda figure: figure is not None and figure.name == "sections")
    return [figure for figure in figures if figure is not None]


def nested_sections(nodes: Sequence[Node], names: Mapping[str, str]) -> Figure | None:
    """Draw sections inside sections as boxes; all of it was measured, nothing is estimated."""
    whole = sum(node.ns for node in nodes if node.level == 0)
    if whole <= 0 or all(node.level == 0 for node in nodes):
        return None
    shares: dict[str, float] = {}
    around: list[str] = []
    for node in nodes:
        outer = INSIDE.join(around := around[: node.level])
        of_outer = shares.get(outer, 0.0) / node.parent_ns if node.parent_ns else 1 / whole
        around = [*around, names.get(node.section, node.section)]
        shares[INSIDE.join(around)] = node.ns * of_outer
    paths = list(shares)
    caption = (
        "The time of all sections in all; each is as wide as its share and lies below the one that "
        "it ran in. What has nothing below it is the section's own."
    )
    found = boxes(paths, shares, INSIDE)
    return Figure("sections", caption, icicle("Sections inside sections", found, paths, INSIDE))


def page(
    logs: list[ProbeLog],
    summaries: list[SectionSummary],
    explanations: list[Explanation],
    drawn: list[Drawn],
    machines: list[RecordedMachine],
    late: Table | None = None,
    nodes: Sequence[Node] = (),
    lead: str = "",
) -> str:
    """Return the report of what ``wirecost probe show`` prints, with figures.

    ``late``: executions that missed the deadline; ``nodes``: sections inside sections; ``lead``:
    the answer, which the page finds itself where it is empty.
    """
    names = shown_names(section.section for section in summaries)
    places = places_of(names)
    short, causes = shortened(summaries, names), shortened(explanations, names)
    inner = shortened(list(nodes), names)
    causes = explained(causes, logs)
    cause = cause_lead(causes, [names.get(section.name, section.name) for section in drawn])
    hint = record_next(causes)
    causes, left_out = worth_advice(causes, inner)
    tables = (
        node_table(summaries, places, []) if places else time_table(short, []),
        tree_table(inner),
        counter_table(short, logs),
        cause_table(causes),
        late,
    )
    overview = [
        figure for section in drawn if section.name == OVERVIEW for figure in section.figures
    ]
    drawn = [section for section in drawn if section.name != OVERVIEW]
    drawn_names = [section.name for section in drawn]
    return render(
        "probe.html.j2",
        [figure for _, figure in overview]
        + [figure for section in drawn for _, figure in section.figures],
        overview=overview,
        programs=", ".join(dict.fromkeys(log.program or "a program" for log in logs)),
        recorded=_recorded(logs),
        lead=lead or cause or takes_most(short),
        hint=hint,
        lost=losses(logs),
        tables=[table for table in tables if table is not None],
        sentences=[*all_sentences(causes, inner), *left_out],
        sections=[
            replace(section, name=names.get(section.name, section.name)) for section in drawn
        ],
        left_out=[
            names[section.section] for section in summaries if section.section not in drawn_names
        ],
        machines=machines,
        unknown=UNKNOWN,
        logs=log_table(logs),
    )


def explained(causes: list[Explanation], logs: list[ProbeLog]) -> list[Explanation]:
    """Return those in which something is known: without counters nothing could explain."""
    return (
        causes if any(log.counters for log in logs) else [cause for cause in causes if cause.costs]
    )


def write_figures(drawn: list[Drawn], folder: Path, formats: tuple[str, ...]) -> list[Path]:
    """Write every figure as a file of each format. Raises UserError."""
    figures = (figure for section in drawn for _, figure in section.figures)
    return figure_files.write_figures(figures, folder, formats)


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
