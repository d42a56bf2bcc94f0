# SPDX-License-Identifier: Apache-2.0
"""Why counters that were asked for have no value: of the machine, or of how was recorded."""

from __future__ import annotations

from wirecost.records.probe_log import COUNTER_SOURCES, ProbeLog

BY_LIBRARY = ("allocations", "allocated-bytes", "lock-waits", "lock-wait-ns")
"""Counted by preloaded libraries, so nowhere but under ``wirecost probe run``."""
OUTSIDE = COUNTER_SOURCES[7]


def absent_notes(logs: list[ProbeLog]) -> list[str]:
    """A line for each reason, with the counters that no log has because of it."""
    status: dict[str, set[str]] = {}
    reasons: dict[str, str] = {}
    for log in logs:
        by_uprobes = any(one.source == OUTSIDE for one in log.counters)
        for counter in log.counters:
            status.setdefault(counter.name, set()).add(counter.status)
            if counter.status == "n/a":
                reasons.setdefault(counter.name, _reason(counter.name, by_uprobes))
    found: dict[str, list[str]] = {}
    for name, seen in status.items():
        if seen == {"n/a"}:
            found.setdefault(reasons[name], []).append(name)
    return [f"{reason}: {', '.join(names)}" for reason, names in found.items()]


def _reason(name: str, by_uprobes: bool) -> str:
    if by_uprobes:
        return "uprobes cannot count these, --function-means trampoline can if the machine has them"
    if name in BY_LIBRARY:
        return "counted under wirecost probe run only"
    return "n/a on this machine"
