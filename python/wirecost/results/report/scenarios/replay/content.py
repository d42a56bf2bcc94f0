# SPDX-License-Identifier: Apache-2.0
"""A replayed node: what it was sent, how long it took, what that cost, whether it did the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl

from wirecost.results.analysis.causes import explain
from wirecost.results.analysis.probe_sections import executions, summary
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.recorded_machine import prices_beside
from wirecost.results.records.run_logs import run_events, run_logs
from wirecost.results.records.schemas.replay import INPUTS, ReplayMeta
from wirecost.results.records.table_file import read_table
from wirecost.results.report.probe.tables import counter_table, time_table
from wirecost.results.report.scenarios import ScenarioContent
from wirecost.results.report.shared import units
from wirecost.results.report.shared.cause_lead import cause_lead
from wirecost.results.report.shared.causes import cause_table, sentences
from wirecost.results.report.shared.races import races, stages_table
from wirecost.results.report.shared.table import Amount, Table
from wirecost.system.counted import counted

ON_TIME_NS = 200_000
NONE = "–"
RULES = {
    "stamp": "same stamp in the header",
    "latest": "latest input before",
    "none": "before any input",
}
COUNTERS = ("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches")
COUNTED = ("minor faults", "major faults", "switches", "preempted")
"""Their headings."""


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta = results.meta_as(ReplayMeta)
    sections, cause = _sections(results)
    verdict = meta.doctor.get("verdict", "n/a")
    tables = [
        *sections,
        _latency_table(results.samples, meta),
        _input_table(results.samples, meta, _late(results.folder)),
        _run_table(meta),
        _equality_table(meta),
        _note_table(meta),
    ]
    return ScenarioContent(
        f"{meta.settings.node} replayed alone",
        cause or _latency_lead(rows),
        [table for table in tables if table is not None],
        [stages_table(rows, race) for race in races(rows)],
        f"{_played(meta)} The doctor's verdict on this machine: {verdict}.",
        checked=_outputs(meta),
    )


def document(results: Results) -> dict[str, object]:
    """Return what ``--json`` adds to the summary rows."""
    events = run_events(run_logs(results.folder))
    explanations = [] if events is None else explain(executions(events), _prices(results))
    keys = ("settings", "repeats", "rules", "equality", "notes", "complete")
    meta = msgspec.to_builtins(results.meta)
    lateness = _lateness(results.samples.filter(stage="lateness")["ns"])
    return {
        **{key: meta[key] for key in keys},
        "lateness": lateness and {**lateness, "late_by_cause": _late(results.folder)},
        "causes": [text for explanation in explanations for text in sentences(explanation)],
    }


def _lateness(ns: pl.Series) -> dict[str, float] | None:
    """Summarize times from when a message was due until its sending began.

    It is None for messages that were sent as fast as they were consumed.
    """
    if ns.is_empty():
        return None
    values = ns.cast(pl.Float64)
    return {
        "p50_ns": float(values.quantile(0.5, "linear") or 0),
        "p99_ns": float(values.quantile(0.99, "linear") or 0),
        "max_ns": float(ns.cast(pl.Float64).to_numpy().max()),
        "within_200us": float((ns <= ON_TIME_NS).sum()) / len(ns),
    }


def _sections(results: Results) -> tuple[list[Table], str | None]:
    """Return the node's own sections, if any, and what is known best of the slowest of them."""
    runs = run_logs(results.folder)
    events = run_events(runs)
    if events is None:
        return [], None
    logs = [log for _, of_run in runs for log in of_run]
    executed = executions(events)
    sections = summary(executed)
    explanations = explain(executed, _prices(results))
    tables = (
        time_table(sections, logs),
        counter_table(sections, logs),
        cause_table(explanations),
    )
    longest = sorted((s for s in sections), key=lambda s: s.count * s.maximum_ns, reverse=True)
    cause = cause_lead(explanations, [section.section for section in longest])
    return [table for table in tables if table is not None], cause


def _prices(results: Results) -> dict[str, float]:
    """Return what single events cost on the machine of the replay; empty in older folders."""
    prices = prices_beside([results.folder])
    return prices.ns if prices else {}


def _latency_table(samples: pl.DataFrame, meta: ReplayMeta) -> Table | None:
    body = []
    for (case,), rows in samples.filter(stage="latency").group_by(["case"], maintain_order=True):
        rules = meta.rules.get(str(case).removeprefix("from "), {})
        how = ", ".join(f"{count:,} {RULES.get(rule, rule)}" for rule, count in rules.items())
        body.append([str(case), f"{len(rows):,}", *_quantiles(rows["ns"]), how])
    if not body:
        return None
    notes = [
        "From the start of sending an input to the receipt of the output, over the middleware. "
        "An output belongs to the input with the same stamp in its header; else to the latest "
        "input before it, which is a guess for a node with several inputs or a timer."
    ]
    headings = ["input to output", "count", "median", "p95", "p99", "max", "matched by"]
    return Table("Latency", headings, body, notes, ("p95", "matched by"), ("median",))


def _late(folder: Path) -> dict[str, int]:
    """Return how many inputs were late for which cause; empty in folders of before it was kept."""
    path = folder / "inputs.parquet"
    if not path.exists():
        return {}
    inputs = read_table(path, INPUTS, "replay again")
    late = inputs.filter(pl.col("before_ns") - pl.col("due_ns") > ON_TIME_NS)
    late = late.drop_nulls("cause")
    return dict(late.group_by("cause").len().sort("len", "cause", descending=True).rows())


def _input_table(samples: pl.DataFrame, meta: ReplayMeta, causes: dict[str, int]) -> Table | None:
    late = samples.filter(stage="lateness")
    body = []
    for topic, count in meta.inputs.items():
        ns = late.filter(case=f"to {topic}")["ns"]
        cells = [NONE] * 5
        if lateness := _lateness(ns):
            cells = [*_quantiles(ns), units.percent(lateness["within_200us"])]
        body.append([topic, f"{count:,}", *cells])
    if not body:
        return None
    notes = ["Times from when a message was due to the start of its sending."]
    if causes and not late.is_empty():
        why = ", ".join(f"{count:,} {cause}" for cause, count in causes.items())
        notes.append(f"Late by more than 200 µs: {why}.")
    headings = ["input", "sent", "median", "p95", "p99", "max", "within 200 µs"]
    return Table("Inputs: how late they were sent", headings, body, notes, ("p95",), ("p99",))


def _quantiles(ns: pl.Series) -> list[str]:
    values = ns.cast(pl.Float64)
    return [
        *(units.time(float(values.quantile(q, "linear") or 0)) for q in (0.5, 0.95, 0.99)),
        units.time(float(values.to_numpy().max())),
    ]


def _run_table(meta: ReplayMeta) -> Table:
    body = []
    for number, run in enumerate(meta.repeats, start=1):
        counts = [getattr(run, counter) for counter in COUNTERS]
        ended = "running" if run.exit_status is None else f"ended, {run.exit_status}"
        body.append(
            [
                f"run {number}",
                f"{run.sent:,}",
                f"{run.outputs:,}",
                *(NONE if count is None else Amount(f"{count:,}", count) for count in counts),
                f"{run.played_s:.2f} s",
                ended,
            ]
        )
    notes = ["Faults and context switches of the node's process during the replay."]
    headings = ["run", "inputs", "outputs", *COUNTED, "played", "then"]
    return Table("Runs", headings, body, notes, ("then", "major faults"), COUNTED)


def _outputs(meta: ReplayMeta) -> list[tuple[bool, str]]:
    """Say whether runs, and the recording, have the same outputs.

    It says nothing where none were compared.
    """
    differ = [equality for equality in meta.equality if equality.difference]
    if differ:
        return [(False, f"Outputs differ, {output.what}: {output.difference}") for output in differ]
    equal = [
        f"{equality.what} ({counted(equality.messages, 'message')})" for equality in meta.equality
    ]
    return [(True, f"Outputs are equal: {', '.join(equal)}")] if equal else []


def _equality_table(meta: ReplayMeta) -> Table | None:
    body = []
    for equality in meta.equality:
        result = equality.difference or f"equal, {counted(equality.messages, 'message')}"
        if equality.skipped:
            result += f" after {equality.skipped:,} that only one side has"
        body.append([equality.what, result])
    if not body:
        return None
    notes = ["Message by message, topic by topic, every byte but padding."]
    return Table("Outputs", ["compared", "result"], body, notes)


def _note_table(meta: ReplayMeta) -> Table | None:
    return Table("Notes", ["note"], [[note] for note in meta.notes], []) if meta.notes else None


def _latency_lead(rows: list[Row]) -> str | None:
    """Return the output that took longest."""
    latency = [row for row in rows if row.stage == "latency"]
    if not latency:
        return None
    slowest = max(latency, key=lambda row: row.median_ns)
    return (
        f"Median latency {slowest.case}: {units.time(slowest.median_ns)}, p99 "
        f"{units.time(slowest.p99_ns)}, over {counted(slowest.n, 'output')}."
    )


def _played(meta: ReplayMeta) -> str:
    settings = meta.settings
    where = f" on CPU {settings.cpu}" if settings.cpu is not None else ""
    priority = f", FIFO {settings.fifo}" if settings.fifo is not None else ""
    heap = ", under wirecost heap" if settings.heap else ""
    loops = f", {settings.loops} times over" if settings.loops > 1 else ""
    how = "as fast as consumed" if settings.consumed else f"at rate {settings.rate:g}"
    played = f"{settings.recording} replayed {how}{loops}{where}{priority}{heap}."
    if not meta.complete:
        played += " Incomplete: it ended before all inputs were played."
    fifo = settings.player_fifo
    player = f"SCHED_FIFO {fifo}" if fifo else "normal scheduling"
    on = f" on CPU {settings.player_cpu}" if settings.player_cpu is not None else ""
    return f"{played} Inputs were sent under {player}{on}."
