# SPDX-License-Identifier: Apache-2.0
"""What each node of a recorded system spends on each topic: a sentence, a table, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from wirecost.results.analysis.ros_names import INFRASTRUCTURE, shown_names
from wirecost.results.records.shares import (
    TRANSPORTS,
    ProcessShare,
    StageShare,
    SystemShares,
    TopicWait,
)
from wirecost.results.report.cost.answer import share
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section, few
from wirecost.results.report.shared.table import Amount, Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import shell_line, without_middle

if TYPE_CHECKING:
    from wirecost.results.report.shared.figure import Figure

OUTSIDE, COMMON = "outside", "infrastructure"
"""In the place of a stage, processor time of a process outside of its sections; and the row of
topics that every node has."""
LONGEST_NAME = 34
EXACT = "WIRECOST_PROBE_COUNTERS=processor-ns wirecost probe run --out LOGS -- COMMAND"
MUCH = 0.05
"""Share of a core from which on a stage is worth a look."""


@dataclass
class ShareRow:
    """A row of the table: a node's stages of a topic, or what a process spends outside of them.

    ``counts``, ``ns``: by stage, of all executions; ``transport_ns``: to the node, in the median.
    """

    name: str
    counts: dict[str, int] = field(default_factory=dict)
    ns: dict[str, float] = field(default_factory=dict)
    idle_ns: float | None = None
    transport_ns: float | None = None

    @property
    def total_ns(self) -> float:
        return sum(self.ns.values())


def shares_answer(shares: SystemShares) -> Answer:
    again = shell_line("wirecost", "cost", *shares.files, "--all")
    return Answer(
        sentence(shares),
        share_table(shares, every=False),
        list(steps(shares)),
        doubts=[(line, "bold yellow") for line in few(shares.warnings)],
        more=f"Every row, waits, processes: {again}",
        sections=[Section(list(tables(shares)))],
        heading=f"What {', '.join(shares.files)} costs",
        figures=lambda on_paper: _figures(shares, on_paper),
        document=msgspec.to_builtins(shares),
    )


def _figures(shares: SystemShares, on_paper: bool) -> list[Figure]:
    from wirecost.results.report.cost.shares_figures import share_figures  # noqa: PLC0415 - a second to import

    return share_figures(shares, on_paper)


def sentence(shares: SystemShares) -> str:
    """Return what all nodes take together, whose most of it is, and the longest transport."""
    stages = [stage for stage in shares.stages if shares.cost_ns(stage)]
    names = {stage.node for stage in shares.stages} - {"", "?"}
    nodes = counted(len(names), "node")
    whole = sum(shares.cost_ns(stage) or 0.0 for stage in stages)
    processor_times = [
        process.processor_ns for process in shares.processes if process.processor_ns is not None
    ]
    processes = counted(len(processor_times), "process", "processes")
    text = f"{nodes}: {_of_core(shares, whole)} in callbacks, publishing and taking"
    if shares.is_processor and processor_times:
        takes, whole = "takes" if len(names) == 1 else "take", sum(processor_times)
        text = f"{nodes} {takes} {_of_core(shares, whole)} in {processes}"
    elif not shares.is_processor:
        text += ", waiting included"
    if stages and whole:
        part = (shares.cost_ns(stages[0]) or 0.0) / whole
        text += f"; {100 * part:.0f} % of it is {_name(stages[0])}"
    if processor_times and not shares.is_processor:
        text += f". The processor ran for {_of_core(shares, sum(processor_times))} in {processes}"
    if transports := [wait for wait in _topic_waits(shares) if wait.kind == TRANSPORTS[0]]:
        longest = max(transports, key=lambda wait: wait.median_ns)
        text += (
            f". Longest transport: {longest.topic} to {longest.node}, "
            f"{units.time(longest.median_ns)} in the median"
        )
    return f"{text}."


def _of_core(shares: SystemShares, ns: float) -> str:
    return f"{share(shares.share(ns) or 0.0)} of a core"


def _name(stage: StageShare) -> str:
    if not stage.node:
        return shown_names([stage.name])[stage.name]
    return f"{stage.stage} of {stage.topic} in {stage.node}"


def _topic_waits(shares: SystemShares) -> list[TopicWait]:
    """Return waits without those of topics that every node has."""
    return [wait for wait in shares.waits if wait.topic not in INFRASTRUCTURE and wait.node != "?"]


def steps(shares: SystemShares) -> Iterator[str]:
    """Yield what to do next, at most three, each command behind a line break."""
    files = shell_line(*shares.files)
    if not shares.is_processor:
        yield f"Shares of processor time instead, waiting left out:\n{EXACT}"
    first = next((stage for stage in shares.stages if shares.cost_ns(stage)), None)
    if first is not None and (shares.share(shares.cost_ns(first)) or 0.0) >= MUCH:
        yield f"Why {_name(first)} takes long:\nwirecost probe show {files}"
    if _topic_waits(shares):
        yield f"How long messages take through all nodes:\nwirecost probe chain {files}"


def share_table(shares: SystemShares, *, every: bool = True) -> Table:
    """Return a row for each topic of each node. ``every``: also of topics that all nodes have."""
    rows = _rows(shares, every=every)
    rows.sort(key=lambda row: -row.total_ns)
    used = {stage for row in rows for stage in row.ns}

    def of_stage(stage: str) -> Column[ShareRow]:
        return Column(
            stage,
            lambda row: _amount(shares, row.ns.get(stage)),
            bar="core",
            shown=stage in used,
        )

    columns = [
        Column[ShareRow]("node · topic or timer", lambda row: row.name),
        Column[ShareRow]("Hz", lambda row: _rate(shares, row)),
        *(of_stage(stage) for stage in ("publish", "take", "deserialize", "callback", OUTSIDE)),
        Column[ShareRow](
            "idle",
            lambda row: _amount(shares, row.idle_ns),
            optional=1,
            shown=any(row.idle_ns for row in rows),
        ),
        Column[ShareRow](
            "transport",
            lambda row: units.time(row.transport_ns),
            shown=any(row.transport_ns is not None for row in rows),
        ),
    ]
    what = "processor time" if shares.is_processor else "elapsed time"
    return Table.of(
        f"Shares of a core by {what}, transport in the median", rows, columns, notes(shares)
    )


def notes(shares: SystemShares) -> list[str]:
    """Return what the columns mean."""
    lines = []
    if any(process.executor_ns is not None for process in shares.processes):
        lines.append("outside: executors, and elsewhere threads without callbacks (middleware).")
    if any(stage.stage == "publish" for stage in shares.stages) and not any(
        stage.name.endswith(" send") for stage in shares.stages
    ):
        lines.append("publish: until the middleware sends; sending counts in the callback.")
    lines += [
        f"Process {process.process}: its parts exceed what it took by over 5 %; a log is damaged."
        for process in shares.processes
        if process.is_contradictory
    ]
    return lines


def _rows(shares: SystemShares, *, every: bool) -> list[ShareRow]:
    rows: dict[tuple[int, str, str], ShareRow] = {}

    def row(process: int, node: str, topic: str, name: str) -> ShareRow:
        is_common = not every and (topic in INFRASTRUCTURE or node == "?")
        key = (0, "", COMMON) if is_common else (process, node, topic or name)
        text = COMMON if is_common else without_middle(name, LONGEST_NAME)
        return rows.setdefault(key, ShareRow(text))

    names = shown_names(stage.name for stage in shares.stages if not stage.node)
    for stage in shares.stages:
        name = f"{stage.node} · {stage.topic}" if stage.node else names[stage.name]
        here = row(stage.process, stage.node, stage.topic, name)
        here.counts[stage.stage] = here.counts.get(stage.stage, 0) + stage.count
        if (ns := shares.cost_ns(stage)) is not None and (ns or stage.stage != "publish"):
            here.ns[stage.stage] = here.ns.get(stage.stage, 0.0) + ns
    for wait in shares.waits:
        key = (wait.process, wait.node, wait.topic)
        if wait.kind in TRANSPORTS and key in rows and wait.topic not in INFRASTRUCTURE:
            rows[key].transport_ns = max(rows[key].transport_ns or 0.0, wait.median_ns)
    return [
        *rows.values(),
        *(row_outside for process in shares.processes for row_outside in _outside(process)),
    ]


def _outside(process: ProcessShare) -> Iterator[ShareRow]:
    """Yield what a process spends outside of its sections."""
    name = process.nodes[0] if process.nodes else f"{process.program} {process.process}"
    if process.executor_ns is not None or process.idle_ns:
        ns = {} if process.executor_ns is None else {OUTSIDE: process.executor_ns}
        text = without_middle(f"{name} · executor", LONGEST_NAME)
        yield ShareRow(text, ns=ns, idle_ns=process.idle_ns or None)
    if process.elsewhere_ns is not None:
        text = without_middle(f"{name} · elsewhere", LONGEST_NAME)
        yield ShareRow(text, ns={OUTSIDE: process.elsewhere_ns})


def _amount(shares: SystemShares, ns: float | None) -> Amount:
    value = shares.share(ns)
    return Amount(units.NONE) if value is None else Amount(share(value), value)


def _rate(shares: SystemShares, row: ShareRow) -> Amount:
    count = max(row.counts.values(), default=0)
    if not count or not shares.duration_s:
        return Amount(units.NONE)
    return units.significant_amount(count / shares.duration_s)


def tables(shares: SystemShares) -> Iterator[Table]:
    """Yield all tables: stages, waits, processes."""
    yield share_table(shares)
    if shares.waits:
        columns = [
            Column[TopicWait]("node · topic", lambda wait: f"{wait.node} · {wait.topic}"),
            Column[TopicWait]("from→to", lambda wait: wait.kind),
            Column[TopicWait]("count", lambda wait: f"{wait.count:,}"),
            Column[TopicWait]("median", lambda wait: units.time(wait.median_ns)),
            Column[TopicWait]("max", lambda wait: units.time(wait.largest_ns)),
        ]
        yield Table.of("Waits of messages, which take no processor", shares.waits, columns)
    columns_of_processes = [
        Column[ProcessShare]("process", lambda one: f"{one.process} {one.program}"),
        Column[ProcessShare]("nodes", lambda one: "; ".join(one.nodes)),
        Column[ProcessShare]("of a core", lambda one: _amount(shares, one.processor_ns)),
        Column[ProcessShare]("sections", lambda one: _amount(shares, one.sections_ns)),
        Column[ProcessShare]("executor", lambda one: _amount(shares, one.executor_ns)),
        Column[ProcessShare]("elsewhere", lambda one: _amount(shares, one.elsewhere_ns)),
        Column[ProcessShare]("idle", lambda one: _amount(shares, one.idle_ns)),
    ]
    yield Table.of("Processes", shares.processes, columns_of_processes)
