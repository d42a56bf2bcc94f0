# SPDX-License-Identifier: Apache-2.0
"""Probe logs as tables and as a JSON document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from wirecost.results.analysis.causes import Explanation
from wirecost.results.analysis.causes.kinds import is_duration, is_processor_time
from wirecost.results.analysis.misses import LOCKED, LONG, Missed, SlowCalls
from wirecost.results.analysis.probe_sections import PERCENTILES, SectionSummary
from wirecost.results.analysis.probe_tree import Node
from wirecost.results.analysis.ros_names import shown_names
from wirecost.results.records.probe_log import COUNTER_SOURCES, ProbeLog
from wirecost.results.records.recorded_machine import Started
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, few
from wirecost.results.report.shared.cause_lead import is_own_work, slow_lead, slow_steps
from wirecost.results.report.shared.table import Amount, Column, Table
from wirecost.results.report.shared.units import NONE
from wirecost.system.counted import counted

OPTIONAL = {99.99: 1, 95.0: 2, 99.9: 3}
"""Percentiles that a narrow terminal leaves out, by rank."""
INSIDE = "· "
"""Before a section's name, once for each section around it."""
BY_LIBRARY = ("allocations", "allocated-bytes", "frees", "lock-waits", "lock-wait-ns")
"""Counted by preloaded libraries, so nowhere but under ``wirecost probe run``."""
OUTSIDE = COUNTER_SOURCES[7]
LISTED = 20
"""Missed deadlines in the table."""
LISTED_WITHOUT_REASON = 3
ANSWERED = (50.0, 99.0)
"""Percentiles of the first answer."""
LOCK = "lock in "
"""Start of the names of spans in which a thread waited for a lock."""
MOST_STEPS = 3


def percentile_column(
    percent: float, optional: int = 0, bar: bool = False
) -> Column[SectionSummary]:
    """Return a column with a percentile of each section's times."""
    title = units.percentile_title(percent)
    return Column(title, lambda section: units.time(section.percentiles_ns[percent]), bar, optional)


def time_table(sections: list[SectionSummary], logs: list[ProbeLog]) -> Table:
    """Return a row for each section: executions, percentiles, maximum and deadline misses."""
    has_misses = any(section.misses is not None for section in sections)
    columns: list[Column[SectionSummary]] = [
        Column("section", lambda section: section.section),
        Column("count", lambda section: f"{section.count:,}"),
        *(percentile_column(p, OPTIONAL.get(p, 0), bar=p == 50) for p in PERCENTILES),
        Column("max", lambda section: units.time(section.maximum_ns)),
        Column("misses", lambda section: units.amount(section.misses), shown=has_misses),
    ]
    notes = losses(logs)
    if any(None in section.percentiles_ns.values() for section in sections):
        notes.append(f"{NONE}: too few executions for this percentile")
    return Table.of("Sections", sections, columns, notes)


def first_answer(
    sections: Sequence[SectionSummary],
    slow: Sequence[SlowCalls],
    explanations: Sequence[Explanation],
    started: Started,
    *,
    is_deadline: bool,
) -> Answer:
    """Return the section that costs most, what its slow executions have in common, what to do.

    ``slow``: of each section, what matters most first; ``is_deadline``: slow ones are those that
    missed one.
    """
    table = _answer_table(sections, slow)
    if not slow:
        return Answer(takes_most(sections), table)
    first = slow[0]
    explanation = next((e for e in explanations if e.section == first.section), None)
    lead = slow_lead(first, explanation, is_deadline=is_deadline)
    steps = list(slow_steps(first, explanation, started))
    if LOCKED in (cause.name for cause in first.common):
        steps += _longest_lock(sections)
    return Answer(lead, table, steps[:MOST_STEPS])


def takes_most(sections: Sequence[SectionSummary]) -> str:
    """Say which section takes most, where nothing else is known."""
    if not sections:
        return "Nothing was recorded."
    most = max(sections, key=lambda section: section.total_ns)
    return (
        f"{most.section} takes most: {units.time(most.total_ns)} in "
        f"{counted(most.count, 'execution')}."
    )


def _longest_lock(sections: Sequence[SectionSummary]) -> list[str]:
    """Return a line about the lock that was waited for longest, if locks were recorded."""
    locks = [section for section in sections if section.section.startswith(LOCK)]
    longest = max(locks, key=lambda section: section.total_ns, default=None)
    return [] if longest is None else [f"Longest: {longest.section}."]


def _answer_table(sections: Sequence[SectionSummary], slow: Sequence[SlowCalls]) -> Table:
    """Return a row for each section, what took most time first, with what its slow ones share."""
    by_section = {calls.section: calls for calls in slow}

    def shared(section: SectionSummary) -> str:
        calls = by_section.get(section.section)
        return NONE if calls is None else _because(calls)

    has_misses = any(section.misses is not None for section in sections)
    measured = [p for p in ANSWERED if any(section.percentiles_ns[p] for section in sections)]
    columns: list[Column[SectionSummary]] = [
        Column("section", lambda section: section.section),
        Column("count", lambda section: f"{section.count:,}"),
        Column("total", lambda section: units.time(section.total_ns), optional=2),
        *(percentile_column(percent) for percent in measured),
        Column("max", lambda section: units.time(section.maximum_ns), optional=1),
        Column("misses" if has_misses else f"above {LONG:.0f} × median", shared),
    ]
    ordered = sorted(sections, key=lambda section: -section.total_ns)
    return Table.of("Sections by total time", ordered, columns)


def _because(calls: SlowCalls) -> str:
    """Return ``23 of 27: minor-faults``, why so many are slow; how many, where that is unknown."""
    if calls.common:
        cause = calls.common[0]
        some = f"{cause.slow:,} of " if cause.slow < calls.slow else ""
        return f"{some}{calls.slow:,}: {cause.name}"
    if is_own_work(calls):
        some = f"{calls.computed:,} of " if calls.computed < calls.slow else ""
        return f"{some}{calls.slow:,}: own work"
    return f"{calls.slow:,}: waited" if calls.waited else f"{calls.slow:,}"


def tree_table(nodes: list[Node]) -> Table | None:
    """Return a row for each section at its place; None where no section is inside another."""
    columns: list[Column[Node]] = [
        Column("section", lambda node: INSIDE * node.level + node.section),
        Column("calls", _calls),
        Column("time", lambda node: units.time(node.ns / (node.parent_calls or node.calls))),
        Column("share", _share, bar=True),
        Column("itself", lambda node: f"{units.time(node.self_ns)} {100 * node.self_share:.0f} %"),
    ]
    notes = [
        "calls, time: mean per call of the section above",
        "itself: time of a call without the sections inside it",
    ]
    return Table.of("Where the time goes", nodes, columns, notes) if nodes else None


def _share(node: Node) -> str:
    if not node.parent_ns:
        return ""
    share = node.ns / node.parent_ns
    return Amount(f"{100 * share:.0f} %", share)


def _calls(node: Node) -> str:
    if node.parent_calls is None:
        return f"{node.calls:,} in all"
    return f"{units.significant(node.calls / max(1, node.parent_calls))} per call"


def counter_table(sections: list[SectionSummary], logs: list[ProbeLog]) -> Table | None:
    """Return a row for each counter of a section that is not always 0.

    It is None where nothing was counted.
    """
    status: dict[str, set[str]] = {}
    for log in logs:
        for counter in log.counters:
            status.setdefault(counter.name, set()).add(counter.status)
    counters = [name for name, statuses in status.items() if statuses != {"n/a"}]
    if not counters:
        return None
    body = [
        [section.section, name, _value(name, counter.mean), _value(name, counter.maximum)]
        for section in sections
        for name, counter in section.counters.items()
        if name in counters and counter.mean is not None and counter.maximum
    ]
    notes = []
    not_zero = {name for _, name, *_ in body}
    if never := [name for name in counters if name not in not_zero]:
        notes.append(f"always 0: {', '.join(never)}")
    notes += absent_notes(logs)
    if partly := [name for name in counters if "user only" in status[name]]:
        notes.append(
            f"user mode only: {', '.join(partly)}; allow more by kernel.perf_event_paranoid=1"
        )
    if scaled := sum(section.scaled for section in sections):
        notes.append(f"{scaled:,} executions' counters are estimates: they shared the hardware")
    return Table("Counters of an execution", ["section", "counter", "mean", "max"], body, notes)


def absent_notes(logs: list[ProbeLog]) -> list[str]:
    """Return a line for each reason why counters that were asked for have no value in any log."""
    status: dict[str, set[str]] = {}
    reasons: dict[str, str] = {}
    for log in logs:
        by_uprobes = any(counter.source == OUTSIDE for counter in log.counters)
        for counter in log.counters:
            status.setdefault(counter.name, set()).add(counter.status)
            if counter.status == "n/a":
                reasons.setdefault(counter.name, _reason(counter.name, by_uprobes))
    names: dict[str, list[str]] = {}
    for name, statuses in status.items():
        if statuses == {"n/a"}:
            names.setdefault(reasons[name], []).append(name)
    return [f"{reason}: {', '.join(of_reason)}" for reason, of_reason in names.items()]


def _reason(name: str, by_uprobes: bool) -> str:
    if by_uprobes:
        return (
            "uprobes cannot count these; --function-means trampoline can, if the machine has them"
        )
    if name in BY_LIBRARY:
        return "counted only under wirecost probe run"
    return "n/a on this machine"


def miss_table(misses: list[Missed], limit_ns: float) -> Table | None:
    """Return the longest executions that missed the deadline, and why, without those inside others.

    It is None where none did.
    """
    if not misses:
        return None
    first = min(miss.begin_ns for miss in misses)
    outermost = [miss for miss in misses if not miss.nested]
    without = [miss for miss in outermost if miss.reason is None][LISTED_WITHOUT_REASON:]
    dropped = set(map(id, without))
    listed = [miss for miss in outermost if id(miss) not in dropped]
    columns: list[Column[Missed]] = [
        Column("section", lambda miss: miss.section),
        Column("at", lambda miss: f"{(miss.begin_ns - first) / 1e9:.3f} s"),
        Column("took", lambda miss: units.time(miss.ns), bar=True),
        Column("excess", lambda miss: f"+{units.time(miss.excess_ns)}"),
        Column("because", lambda miss: why(miss.reason, miss.reason_ns)),
    ]
    notes = [
        f"Longer than {units.time(limit_ns)}, the longest first; times since the first of them; "
        "excess over the section's median"
    ]
    if without:
        notes.append(f"{len(without):,} shorter ones: no counter accounts for them either")
    if len(outermost) < len(misses):
        notes.append("Only the outermost of sections that missed it at the same time")
    if len(listed) > LISTED:
        notes.append(f"{len(listed) - LISTED:,} more, in --json at most 1,000 of a section")
    return Table.of("Missed deadlines", listed[:LISTED], columns, notes)


def why(reason: str | None, ns: float) -> str:
    return "no counter accounts for it" if reason is None else f"{reason} for {units.time(ns)}"


def _value(name: str, value: float) -> str:
    if is_duration(name) or is_processor_time(name):
        return units.time(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{_places(value)}f}"


def _places(mean: float) -> int:
    """Return the decimals that leave three significant digits of small means."""
    return max(0, 2 - math.floor(math.log10(mean))) if 0 < mean < 100 else 0


def document(
    sections: list[SectionSummary],
    explanations: list[Explanation],
    logs: list[ProbeLog],
    misses: list[Missed] | None = None,
    tree: Sequence[Node] = (),
    slow: Sequence[SlowCalls] = (),
) -> dict[str, object]:
    """Return what ``--json`` writes.

    Times in nanoseconds, shares from 0 to 1; null: no value, and no deadline for ``misses``.
    """
    names = shown_names(section.section for section in sections)
    return {
        "sections": [
            {
                "section": section.section,
                "name": names[section.section],
                "count": section.count,
                **{f"p{percent:g}_ns": ns for percent, ns in section.percentiles_ns.items()},
                "max_ns": section.maximum_ns,
                "total_ns": section.total_ns,
                "rate_hz": section.rate_hz,
                "deadline_misses": section.misses,
                "scaled": section.scaled,
                "counters": {
                    name: {"mean": c.mean, "max": c.maximum, "counted": c.counted}
                    for name, c in section.counters.items()
                },
            }
            for section in sections
        ],
        "causes": [asdict(explanation) for explanation in explanations],
        "tree": [asdict(node) for node in tree],
        "misses": None if misses is None else [asdict(miss) for miss in misses],
        "slow": [asdict(calls) for calls in slow],
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
    """Return a row for each thread's log; a note says how each counter was counted."""
    columns: list[Column[ProbeLog]] = [
        Column("file", lambda log: log.path.name),
        Column("thread", lambda log: log.thread_name),
        Column("records", lambda log: f"{log.count:,}"),
        Column("dropped", lambda log: f"{log.dropped:,}"),
        Column("ended", lambda log: "yes" if log.ended else "no"),
    ]
    names: dict[str, dict[str, None]] = {}
    for counter in (counter for log in logs for counter in log.counters):
        names.setdefault(counter.status, {})[counter.name] = None
    notes = [f"{status}: {', '.join(counted)}" for status, counted in names.items()]
    return Table.of("Threads", logs, columns, notes or ["no counters were requested"])


def loss_doubts(logs: list[ProbeLog]) -> list[tuple[str, str]]:
    """Return lines below the first answer, and their styles."""
    return [(line, "bold yellow") for line in few(losses(logs))]


def losses(logs: list[ProbeLog]) -> list[str]:
    """Return a line for each thing that a log lacks."""
    return [note for log in logs for note in _notes(log)]


def _notes(log: ProbeLog) -> list[str]:
    lacks = list(log.lacks)
    if log.dropped:
        lacks.append(
            f"{counted(log.dropped, 'execution')} dropped, which did not fit; set a larger "
            "WIRECOST_PROBE_SIZE"
        )
    if log.unclosed:
        lacks.append(f"{counted(log.unclosed, 'section')} entered but not left")
    if log.unmatched:
        lacks.append(f"{counted(log.unmatched, 'section')} left but not entered")
    if not log.ended:
        lacks.append("its thread is still running or was killed; whole records were read")
    return [f"{log.path.name}: {text}" for text in lacks]
