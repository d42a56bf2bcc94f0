# SPDX-License-Identifier: Apache-2.0
"""Probe logs as tables and as a JSON document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from wirecost.analysis.causes import Explanation
from wirecost.analysis.causes.kinds import is_duration, is_processor_time
from wirecost.analysis.misses import Missed
from wirecost.analysis.probe_sections import PERCENTILES, SectionSummary
from wirecost.analysis.probe_tree import Node
from wirecost.analysis.ros_names import shown_names
from wirecost.counted import counted
from wirecost.records.probe_log import ProbeLog
from wirecost.report.probe.absent import absent_notes
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

NONE = "–"
LISTED = 20
"""Missed deadlines in the table."""
LISTED_WITHOUT_REASON = 3


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
        if misses:
            cells.append(NONE if one.misses is None else f"{one.misses:,}")
        body.append(cells)
    notes = losses(logs)
    if any(None in one.percentiles_ns.values() for one in sections):
        notes.append(f"{NONE}: too few executions for this percentile")
    return Table("Sections", headings, body, notes, ("p99.99", "p95", "p99.9"), ("median",))


def counter_table(sections: list[SectionSummary], logs: list[ProbeLog]) -> Table | None:
    """One row a counter of a section that is not always 0; none where nothing was counted."""
    status: dict[str, set[str]] = {}
    for log in logs:
        for counter in log.counters:
            status.setdefault(counter.name, set()).add(counter.status)
    shown = [name for name, found in status.items() if found != {"n/a"}]
    if not shown:
        return None
    body = [
        [one.section, name, _value(name, counter.mean), _value(name, counter.maximum)]
        for one in sections
        for name, counter in one.counters.items()
        if name in shown and counter.mean is not None and counter.maximum
    ]
    notes = []
    present = {name for _, name, *_ in body}
    if never := [name for name in shown if name not in present]:
        notes.append(f"always 0: {', '.join(never)}")
    notes += absent_notes(logs)
    if partly := [name for name in shown if "user only" in status[name]]:
        notes.append(
            f"user mode only: {', '.join(partly)}; allow more by kernel.perf_event_paranoid=1"
        )
    if scaled := sum(one.scaled for one in sections):
        notes.append(f"{scaled:,} executions' counters are estimates: they shared the hardware")
    return Table("Counters of an execution", ["section", "counter", "mean", "max"], body, notes)


def miss_table(misses: list[Missed], limit_ns: float, rows: int = LISTED) -> Table | None:
    """The longest executions that missed the deadline, and why, without those inside others; None
    where none did."""
    if not misses:
        return None
    first = min(one.begin_ns for one in misses)
    outermost = [one for one in misses if not one.nested]
    without = [one for one in outermost if one.reason is None][LISTED_WITHOUT_REASON:]
    dropped = set(map(id, without))
    listed = [one for one in outermost if id(one) not in dropped]
    body = [
        [
            one.section,
            f"{(one.begin_ns - first) / 1e9:.3f} s",
            units.time(one.ns),
            f"+{units.time(one.excess_ns)}",
            why(one.reason, one.reason_ns),
        ]
        for one in listed[:rows]
    ]
    notes = [
        f"Longer than {units.time(limit_ns)}, the longest first; times since the first of them; "
        "excess over the section's median"
    ]
    if without:
        notes.append(f"{len(without):,} shorter ones: no counter accounts for them either")
    if len(outermost) < len(misses):
        notes.append("Only the outermost of sections that missed it at the same time")
    if len(listed) > rows:
        notes.append(f"{len(listed) - rows:,} more, in --json at most 1,000 of a section")
    headings = ["section", "at", "took", "excess", "because"]
    return Table("Missed deadlines", headings, body, notes, bars=("took",))


def why(reason: str | None, ns: float) -> str:
    return "no counter accounts for it" if reason is None else f"{reason} for {units.time(ns)}"


def _value(name: str, value: float) -> str:
    if is_duration(name) or is_processor_time(name):
        return units.time(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{_places(value)}f}"


def _places(mean: float) -> int:
    """Decimals that leave three significant digits of small means."""
    return max(0, 2 - math.floor(math.log10(mean))) if 0 < mean < 100 else 0


def document(
    sections: list[SectionSummary],
    explanations: list[Explanation],
    logs: list[ProbeLog],
    misses: list[Missed] | None = None,
    tree: Sequence[Node] = (),
) -> dict[str, Any]:
    """What ``--json`` writes. Times in nanoseconds, shares from 0 to 1; null: no value, and no
    deadline for ``misses``."""
    names = shown_names(one.section for one in sections)
    return {
        "sections": [
            {
                "section": one.section,
                "name": names[one.section],
                "count": one.count,
                **{f"p{percent:g}_ns": ns for percent, ns in one.percentiles_ns.items()},
                "max_ns": one.maximum_ns,
                "total_ns": one.total_ns,
                "rate_hz": one.rate_hz,
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
        "tree": [asdict(one) for one in tree],
        "misses": None if misses is None else [asdict(one) for one in misses],
        "logs": [
            {
                "file": str(log.path),
                "program": log.program,
                "process": log.process,
                "thread": log.thread,
                "thread_name": log.thread_name,
                "records": log.count,
                "dropped": log.dropped,
                "unclosed": log.unclosed,
                "unmatched": log.unmatched,
                "ended": log.ended,
                "counters": {counter.name: counter.status for counter in log.counters},
            }
            for log in logs
        ],
    }


def log_table(logs: list[ProbeLog]) -> Table:
    """One row a thread's log; a note says how each counter was counted."""
    body = [
        [
            log.path.name,
            log.thread_name,
            f"{log.count:,}",
            f"{log.dropped:,}",
            "yes" if log.ended else "no",
        ]
        for log in logs
    ]
    found: dict[str, dict[str, None]] = {}
    for one in (counter for log in logs for counter in log.counters):
        found.setdefault(one.status, {})[one.name] = None
    notes = [f"{status}: {', '.join(names)}" for status, names in found.items()]
    headings = ["file", "thread", "records", "dropped", "ended"]
    return Table("Threads", headings, body, notes or ["no counters were asked for"])


def losses(logs: list[ProbeLog]) -> list[str]:
    """A line for each thing that a log lacks."""
    return [note for log in logs for note in _notes(log)]


def _notes(log: ProbeLog) -> list[str]:
    lacks = list(log.lacks)
    if log.dropped:
        lacks.append(
            f"{counted(log.dropped, 'execution')} dropped, which did not fit; set "
            "WIRECOST_PROBE_SIZE to more"
        )
    if log.unclosed:
        lacks.append(f"{counted(log.unclosed, 'section')} entered and not left")
    if log.unmatched:
        lacks.append(f"{counted(log.unmatched, 'section')} left and not entered")
    if not log.ended:
        lacks.append("its thread is still running or was killed; whole records were read")
    return [f"{log.path.name}: {text}" for text in lacks]
