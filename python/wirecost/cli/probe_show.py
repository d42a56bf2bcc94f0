# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe show``: what instrumented programs recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from wirecost.system.function_names import shortened
from wirecost.system.shell import command_line

if TYPE_CHECKING:
    from wirecost.results.analysis.causes import Explanation
    from wirecost.results.analysis.chains.listed import Listed
    from wirecost.results.analysis.misses import Missed, SlowCalls
    from wirecost.results.analysis.probe_sections import SectionSummary
    from wirecost.results.analysis.probe_tree import Node
    from wirecost.results.records.probe_log import ProbeLog
    from wirecost.results.records.recorded_machine import MachinePrices, Started
    from wirecost.results.report.probe.page import Drawn
    from wirecost.system.terminal import Console

MOST_FOLLOWED = 300_000
"""Records that are searched for chains; logs with more are not."""
MORE = "Counters, causes, each miss: probe show --all LOGS, or --report page.html"
ALL = "Counters, causes, each miss: wirecost probe show --all"
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
        bool, option("Print all: rows, counters, causes, waits, each miss.", "--all")
    ] = False,
) -> None:
    """Print which section costs most, what its slow executions have in common, what to do."""
    check_page("--report", report)
    limit_ns = deadline_ns(deadline)
    formats = chosen("--format", form or "svg", FIGURE_FORMATS)
    if form is not None and figures is None:
        raise UserError(f"--format {form}: needs --figures DIR")
    more = f"{ALL} {command_line(files)}"
    show(files, limit_ns, json_file, report, figures, formats, every=every, more=more)


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
    started: Started | None = None,
    more: str = MORE,
) -> None:
    """Print the first answer, which fits a screen; all tables if ``every``.

    ``limit_ns``: the deadline; ``started``: None: as is written beside the logs; ``more``: where
    the rest is. Raises UserError.
    """
    from wirecost.results.records.recorded import read_recorded
    from wirecost.results.records.recorded_machine import prices_beside, started_beside
    from wirecost.results.report.probe.tables import document

    logs = read_recorded(files)
    judged = _judged(logs, prices_beside(files), limit_ns)
    console = console_beside(json_file)
    started = _judging(started or started_beside(files), limit_ns)
    lead = _print_judged(console, judged, logs, every=every, started=started, more=more)
    misses = judged.misses if limit_ns else None
    write_json(
        json_file,
        document(judged.sections, judged.explanations, logs, misses, judged.nodes, judged.slow),
    )
    if report is None and figures is None:
        return
    drawn = _drawn(logs, limit_ns)
    if report is not None:
        from wirecost.results.report.probe.machine import recorded_machines
        from wirecost.results.report.probe.page import page

        machines = recorded_machines(files)
        content = page(
            logs, judged.sections, judged.explanations, drawn, machines, judged.late(),
            judged.nodes, lead,
        )  # fmt: skip
        write_text("--report", report, content)
        console.print(str(report), soft_wrap=True, highlight=False, markup=False)
    if figures is not None:
        from wirecost.results.report.probe.page import write_figures

        for path in write_figures(drawn, figures, formats):
            console.print(str(path), soft_wrap=True, highlight=False, markup=False)


def _judging(started: Started, limit_ns: float | None) -> Started:
    """Return the same with the deadline, so that the commands to go on with judge it too."""
    if limit_ns is None or "--deadline" in started.options:
        return started
    import msgspec

    options = (*started.options, "--deadline", f"{limit_ns / 1e6:g}ms")
    return msgspec.structs.replace(started, options=options)


@dataclass(frozen=True)
class Judged:
    """Sections with their times, explanations, misses, their tree, slow executions.

    The longest miss is the first, and the section that its slow executions matter most to.
    ``limit_ns``: the deadline.
    """

    limit_ns: float | None
    sections: list[SectionSummary]
    explanations: list[Explanation]
    misses: list[Missed]
    nodes: list[Node]
    slow: list[SlowCalls]

    def names(self) -> dict[str, str]:
        """Return the sections' names as they are shown."""
        from wirecost.results.analysis.ros_names import shown_names

        return shown_names(section.section for section in self.sections)

    def late(self) -> Table | None:
        """Return the table of missed deadlines."""
        from wirecost.results.report.probe.tables import miss_table

        return miss_table(shortened(self.misses, self.names()), self.limit_ns or 0.0)


def _print_judged(
    console: Console,
    judged: Judged,
    logs: list[ProbeLog],
    *,
    every: bool,
    started: Started,
    more: str,
) -> str:
    """Print the first answer, or all; return its sentence."""
    from wirecost.results.analysis.ros_names import places_of
    from wirecost.results.report.probe.nodes import node_answer, node_lead, slow_callback
    from wirecost.results.report.probe.page import explained
    from wirecost.results.report.probe.tables import first_answer, loss_doubts, losses, time_table
    from wirecost.results.report.shared.causes import record_next, worth_advice
    from wirecost.results.report.shared.first import print_answer
    from wirecost.results.report.shared.terminal import say

    names = judged.names()
    places = places_of(names)
    nodes, slow = shortened(judged.nodes, names), shortened(judged.slow, names)
    causes, left_out = worth_advice(shortened(judged.explanations, names), nodes)
    causes = explained(causes, logs)
    short = shortened(judged.sections, names)
    answer = first_answer(short, slow, causes, started, is_deadline=judged.limit_ns is not None)
    lead, table = answer.answer, time_table(short, logs)
    if places:
        is_deadline = judged.limit_ns is not None
        of_nodes = node_lead(judged.sections, places, _chains(logs), judged.limit_ns, judged.misses)
        said = slow_callback(
            judged.slow, judged.explanations, places, started, is_deadline=is_deadline
        )
        ends = losses(logs)
        lead, table = node_answer(judged.sections, places, of_nodes, causes, ends, None, said)
        text = lead
        if not every:
            text, table = node_answer(
                judged.sections, places, of_nodes, causes, ends, console.width, said
            )
        say(console, text)
        console.print()
    elif not every:
        answer = replace(answer, table=_fitting(answer.table, console.width))
        print_answer(console, answer, more, loss_doubts(logs))
        return lead
    print_table(console, _fitting(table, console.width))
    if hint := record_next(causes):
        say(console, hint, "bold")
        console.print()
    if every:
        _print_rest(console, judged, logs, causes, left_out)
    return lead


def _print_rest(
    console: Console,
    judged: Judged,
    logs: list[ProbeLog],
    causes: list[Explanation],
    left_out: list[str],
) -> None:
    """Print counters, causes and misses; ``left_out``: lines about sections without advice."""
    from wirecost.results.report.probe.tables import counter_table, tree_table
    from wirecost.results.report.shared.causes import all_sentences, cause_table

    names = judged.names()
    nodes, short = shortened(judged.nodes, names), shortened(judged.sections, names)
    tables = [tree_table(nodes), counter_table(short, logs), cause_table(causes), judged.late()]
    for table in filter(None, tables):
        print_table(console, _fitting(table, console.width))
    for sentence in [*all_sentences(causes, nodes), *left_out]:
        console.print(sentence, highlight=False, markup=False)


def _drawn(logs: list[ProbeLog], limit_ns: float | None) -> list[Drawn]:
    import polars as pl

    from wirecost.results.analysis.probe_sections import executions
    from wirecost.results.records.recorded import event_tables
    from wirecost.results.report.probe.page import probe_figures

    return probe_figures(pl.concat(map(executions, event_tables(logs))), logs, limit_ns)


def _judged(logs: list[ProbeLog], prices: MachinePrices | None, limit_ns: float | None) -> Judged:
    from wirecost.results.analysis.causes import explain
    from wirecost.results.analysis.misses import missed, most_slow_first, slow_calls
    from wirecost.results.analysis.probe_sections import executions, summary
    from wirecost.results.analysis.probe_tree import tree
    from wirecost.results.records.recorded import event_tables

    prices_ns = prices.ns if prices else {}
    sections, explanations, misses, nodes, slow = [], [], [], [], []
    for executed in map(executions, event_tables(logs)):
        sections += summary(executed, limit_ns)
        nodes += tree(executed)
        causes = explain(executed, prices_ns)
        explanations += causes
        slow += slow_calls(executed, limit_ns, causes, prices_ns)
        if limit_ns is not None:
            misses += missed(executed, limit_ns, causes, prices_ns)
    misses.sort(key=lambda miss: -miss.ns)
    slow = most_slow_first(slow, is_deadline=limit_ns is not None)
    return Judged(limit_ns, sections, explanations, misses, nodes, slow)


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
