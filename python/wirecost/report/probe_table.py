# SPDX-License-Identifier: Apache-2.0
"""Probe logs as tables and as a JSON document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from wirecost.analysis.causes import Explanation
from wirecost.analysis.probe_sections import PERCENTILES, SectionSummary
from wirecost.records.probe_log import ProbeLog
from wirecost.report import units
from wirecost.report.table import Table

NONE = "–"


def time_table(sections: list[SectionSummary], logs: list[ProbeLog]) -> Table:
    """One row a section: executions, percentiles, maximum and deadline misses."""
    misses = any(one.misses is not None for one in sections)
    names = {percent: "median" if percent == 50 else f"p{percent:g}" for percent in PERCENTILES}
    headings = ["section", "count", *names.values(), "max"] + ["misses"] * misses
    body = []
    for one in sections:
        cells = [one.section, f"{one.count:,}"]
        cells += [NONE if t is None else units.time(t) for t in one.percentiles_ns.values()]
        cells.append(units.time(one.maximum_ns))
        body.append(cells if one.misses is None else [*cells, f"{one.misses:,}"])
    notes = [note for log in logs for note in _notes(log)]
    if any(None in one.percentiles_ns.values() for one in sections):
        notes.append(f"{NONE}: too few executions for this percentile")
    return Table("Sections", headings, body, notes, ("p99.99", "p95", "p99.9"))


def counter_table(sections: list[SectionSummary], logs: list[ProbeLog]) -> Table | None:
    """The mean of each counter over a section's executions; none where nothing was counted."""
    status: dict[str, set[str]] = {}
    for log in logs:
        for counter in log.counters:
            status.setdefault(counter.name, set()).add(counter.status)
    shown = [name for name, found in status.items() if found != {"n/a"}]
    if not shown:
        return None
    body = []
    for one in sections:
        means = [one.counters[name].mean for name in shown]
        if any(mean is not None for mean in means):
            cells = [NONE if mean is None else f"{mean:,.4g}" for mean in means]
            body.append([one.section, *cells])
    notes = []
    if absent := [name for name in status if name not in shown]:
        notes.append(f"n/a on this machine: {', '.join(absent)}")
    if partly := [name for name in shown if "user only" in status[name]]:
        notes.append(
            f"user mode only: {', '.join(partly)}; allow more by kernel.perf_event_paranoid=1"
        )
    if scaled := sum(one.scaled for one in sections):
        notes.append(f"{scaled:,} executions' counters are estimates: they shared the hardware")
    return Table("Counters, mean of an execution", ["section", *shown], body, notes)


def document(
    sections: list[SectionSummary], explanations: list[Explanation], logs: list[ProbeLog]
) -> dict[str, Any]:
    """What ``--json`` writes. Times in nanoseconds, shares from 0 to 1; null: no value."""
    return {
        "sections": [
            {
                "section": one.section,
                "count": one.count,
                **{f"p{percent:g}_ns": ns for percent, ns in one.percentiles_ns.items()},
                "max_ns": one.maximum_ns,
                "deadline_misses": one.misses,
                "scaled": one.scaled,
                "counters": {
                    name: {"mean": c.mean, "max": c.maximum, "counted": c.counted}
                    for name, c in one.counters.items()
                },
            }
            for one in sections
        ],
        "causes": [asdict(one) for one in explanations],
        "logs": [
            {
                "file": str(log.path),
                "program": log.program,
                "process": log.process,
                "thread": log.thread,
                "thread_name": log.thread_name,
                "records": len(log.records),
                "dropped": log.dropped,
                "unclosed": log.unclosed,
                "unmatched": log.unmatched,
                "ended": log.ended,
                "counters": {counter.name: counter.status for counter in log.counters},
            }
            for log in logs
        ],
    }


def _notes(log: ProbeLog) -> list[str]:
    told = []
    if log.dropped:
        told.append(
            f"{log.dropped:,} executions dropped, they did not fit; set WIRECOST_PROBE_SIZE to more"
        )
    if log.unclosed:
        told.append(f"{log.unclosed:,} sections entered and not left")
    if log.unmatched:
        told.append(f"{log.unmatched:,} sections left and not entered")
    if not log.ended:
        told.append("its thread runs still or was killed; whole records were read")
    return [f"{log.path.name}: {text}" for text in told]
