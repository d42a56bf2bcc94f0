# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe show``: what instrumented programs recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.json_file import JsonFile, check_page, console_beside, write_json, write_text
from wirecost.cli.options import argument, option
from wirecost.results.report.choices import FIGURE_FORMATS
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.chosen import chosen
from wirecost.system.durations import nanoseconds
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.results.analysis.causes import Explanation
    from wirecost.results.analysis.chains.listed import Listed
    from wirecost.results.analysis.misses import Missed
    from wirecost.results.analysis.probe_sections import SectionSummary
    from wirecost.results.analysis.probe_tree import Node
    from wirecost.results.records.probe_log import ProbeLog
    from wirecost.results.records.recorded_machine import MachinePrices

MOST_FOLLOWED = 300_000
"""Records that are searched for chains; logs with more are not."""
EXAMPLE = "wirecost probe show LOGS --deadline 10ms --report page.html"

Files = Annotated[list[Path], argument("FILE", "Probe logs, folders of them, or LTTng traces.")]
Deadline = Annotated[
    str | None, option("Count executions that took longer, such as 10ms.", metavar="TIME")
]
Report = Annotated[Path | None, option("Write an HTML report with figures.", metavar="FILE")]


def command(
    files: Files,
    deadline: Deadline = None,
    json_file: JsonFile = None,
    report: Report = None,
    figures: Annotated[Path | None, option("Write the figures as files.", metavar="DIR")] = None,
    form: Annotated[
        str | None,
        option(
            f"Formats of --figures: {', '.join(FIGURE_FORMATS)}; default svg.",
            "--format",
            metavar="FORMATS",
            known=FIGURE_FORMATS,
        ),
    ] = None,
    every: Annotated[
        bool, option("Of nodes of ROS, print all rows, waits and causes.", "--all")
    ] = False,
) -> None:
    """Print how long sections took, their counters, and what explains the time."""
    check_page("--report", report)
    limit_ns = deadline_ns(deadline)
    formats = chosen("--format", form or "svg", FIGURE_FORMATS)
    if form is not None and figures is None:
        raise UserError(f"--format {form}: needs --figures DIR")
    show(files, limit_ns, json_file, report, figures, formats, every=every)


def deadline_ns(text: str | None) -> float | None:
    """Parse ``--deadline``, in nanoseconds; a number without a unit is milliseconds.

    Raises UserError.
    """
    return None if text is None else nanoseconds("--deadline", text)


def show(
    files: list[Path],
    limit_ns: float | None,
    json_file: Path | None,
    report: Path | None = None,
    figures: Path | None = None,
    formats: tuple[str, ...] = (),
    *,
    every: bool = False,
) -> None:
    """Print the tables; of nodes of ROS only what fits a screen, unless ``every``.

    ``limit_ns``: the deadline. Raises UserError.
    """
    import polars as pl

    from wirecost.results.analysis.probe_sections import executions
    from wirecost.results.analysis.ros_names import places_of, shown_names
    from wirecost.results.records.recorded import event_tables, read_recorded
    from wirecost.results.records.recorded_machine import prices_beside
    from wirecost.results.report.probe.machine import recorded_machines
    from wirecost.results.report.probe.nodes import node_answer, node_lead
    from wirecost.results.report.probe.page import explained, page, probe_figures, write_figures
    from wirecost.results.report.probe.tables import (
        counter_table,
        document,
        losses,
        miss_table,
        time_table,
        tree_table,
    )
    from wirecost.results.report.shared.causes import (
        all_sentences,
        cause_table,
        record_next,
        worth_advice,
    )
    from wirecost.results.report.shared.terminal import say
    from wirecost.system.function_names import shortened

    logs = read_recorded(files)
    sections, explanations, misses, nodes = _judged(logs, prices_beside(files), limit_ns)
    names = shown_names(section.section for section in sections)
    places = places_of(names)
    short, causes = shortened(sections, names), shortened(explanations, names)
    inside = shortened(nodes, names)
    causes, left_out = worth_advice(causes, inside)
    causes = explained(causes, logs)
    late = miss_table(shortened(misses, names), limit_ns or 0.0)
    hint = record_next(causes)
    console = console_beside(json_file)
    tables = [tree_table(inside), counter_table(short, logs), cause_table(causes), late]
    texts = [*all_sentences(causes, inside), *left_out]
    first, lead = time_table(short, logs), ""
    if places:
        lead = node_lead(sections, places, _chains(logs), limit_ns, misses)
        width = None if every else console.width
        text, first = node_answer(sections, places, lead, causes, losses(logs), width)
        say(console, text)
        console.print()
        if not every:
            tables, texts = [], []
    print_table(console, _fitting(first, console.width))
    if hint:
        say(console, hint, "bold")
        console.print()
    for table in filter(None, tables):
        print_table(console, _fitting(table, console.width))
    for sentence in texts:
        console.print(sentence, highlight=False, markup=False)
    write_json(
        json_file,
        document(sections, explanations, logs, misses if limit_ns else None, nodes),
    )
    if report is None and figures is None:
        return
    executed = pl.concat(map(executions, event_tables(logs)))
    drawn = probe_figures(executed, logs, limit_ns)
    if report is not None:
        write_text(
            "--report",
            report,
            page(logs, sections, explanations, drawn, recorded_machines(files), late, nodes, lead),
        )
        console.print(str(report), soft_wrap=True, highlight=False, markup=False)
    if figures is not None:
        for path in write_figures(drawn, figures, formats):
            console.print(str(path), soft_wrap=True, highlight=False, markup=False)


def _judged(
    logs: list[ProbeLog], prices: MachinePrices | None, limit_ns: float | None
) -> tuple[list[SectionSummary], list[Explanation], list[Missed], list[Node]]:
    """Return sections with their times, explanations, deadline misses, and the tree of sections.

    The longest miss is the first.
    """
    from wirecost.results.analysis.causes import explain
    from wirecost.results.analysis.misses import missed
    from wirecost.results.analysis.probe_sections import executions, summary
    from wirecost.results.analysis.probe_tree import tree
    from wirecost.results.records.recorded import event_tables

    prices_ns = prices.ns if prices else {}
    sections, explanations, misses, nodes = [], [], [], []
    for executed in map(executions, event_tables(logs)):
        sections += summary(executed, limit_ns)
        nodes += tree(executed)
        causes = explain(executed, prices_ns)
        explanations += causes
        if limit_ns is not None:
            misses += missed(executed, limit_ns, causes, prices_ns)
    return sections, explanations, sorted(misses, key=lambda miss: -miss.ns), nodes


def _chains(logs: list[ProbeLog]) -> Listed | None:
    """Return all chains, unless that would take longer than the rest."""
    import polars as pl

    from wirecost.results.analysis.chains.hops import hops_of
    from wirecost.results.analysis.chains.listed import listed
    from wirecost.results.records.recorded import event_tables

    if sum(log.count for log in logs) > MOST_FOLLOWED:
        return None
    return listed(hops_of(pl.concat(event_tables(logs), how="diagonal")))


def _fitting(table: Table, width: int) -> Table:
    """Cut section names at their front, as far as the table's other columns need room."""
    fixed = [i for i, name in enumerate(table.headings) if i and name not in table.optional]
    rows = [table.headings, *table.rows]
    room = max(12, width - sum(1 + max(len(row[i]) for row in rows) for i in fixed))
    cut = [
        [name if len(name) <= room else "…" + name[1 - room :], *cells]
        for name, *cells in table.rows
    ]
    return replace(table, rows=cut)
