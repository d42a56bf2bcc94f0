# SPDX-License-Identifier: Apache-2.0
"""Everything that was measured of each contender, a table for every case."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirecost.analysis.transport.measured import Measured
from wirecost.analysis.transport.needs import LOOPBACK
from wirecost.analysis.transport.recommendation import by_case
from wirecost.report.shared import units
from wirecost.report.shared.table import Marked, Table

NONE = "–"
PARTS = ("publisher", "subscribers", "daemon")
NOTES = (
    "Latency: from the begin of the call that sends until the call that receives"
    " returned, every arrival at every subscriber.",
    "went wrong: of all messages at all subscribers together.",
    "CPU: processor time per sent message, of all processes and of the kernel's own threads.",
    "{parts}: these processes' parts of CPU.",
    "ready: how long threads could run, but waited for a processor, per message.",
    "switches: context switches per message.",
    "wire: bytes on the network per byte of the message.",
    "memory: the most that all processes together had resident.",
)
DDS = (
    "dds is Fast DDS over UDP here. Between processes of one machine its makers' default is shared"
    " memory, which was not measured."
)


def mark(one: Measured) -> str:
    """By which its row is linked to."""
    where = one.where
    who = one.who
    words = (
        where.network, where.pattern, where.subscribers, one.size, f"{one.asked_rate:g}",
        who.mware, who.client, who.settings,
    )  # fmt: skip
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(map(str, words)))


def name(one: Measured) -> str:
    """``zeromq python matched``."""
    return f"{one.who.mware} {one.who.client} {one.who.settings}"


def tables(found: Sequence[Measured]) -> list[Table]:
    groups = by_case(found)
    # What the columns mean is said once, at the last one.
    return [_table(group, _notes(found, group) if group is groups[-1] else []) for group in groups]


def _parts(group: Sequence[Measured]) -> tuple[str, ...]:
    return PARTS if any("daemon" in one.usage for one in group) else PARTS[:2]


def _notes(found: Sequence[Measured], last: Sequence[Measured]) -> list[str]:
    here = {one.who.mware for one in found if one.where.network == LOOPBACK}
    parts = ", ".join(_parts(last))
    early = [one for one in (*last, *found) if one.lost_before]
    return [
        *(note.format(parts=parts) for note in NOTES),
        *map(_before, early[:1]),
        *([DDS] if "dds" in here else []),
    ]


def _before(one: Measured) -> str:
    """Of one that lost some of the messages that are compared before any is timed."""
    lost = f"{one.lost_before:,} + {one.lost:,} of {one.expected:,} lost"
    return (
        f"{lost}: {one.lost_before:,} of those that are compared before any is timed, then"
        f" {one.lost:,} of the {one.expected:,} timed ones, which are the messages that were sent"
        " times the subscribers. The first messages between two processes are lost most easily."
    )


def _table(group: list[Measured], notes: list[str]) -> Table:
    group = sorted(group, key=lambda one: (not one.delivers, one.p50_ns))
    parts = _parts(group)
    body = [
        [
            Marked(name(one), mark(one)),
            *map(units.time, (one.p50_ns, one.p99_ns, one.p999_ns, one.max_ns)),
            "; ".join(one.flaws) or "nothing",
            NONE if one.cost_ns is None else units.time(one.cost_ns),
            *(_cpu(one, part) for part in parts),
            _waited(one),
            _summed(one, "switches"),
            NONE if one.wire_bytes is None else units.significant(one.wire_bytes / one.size),
            _memory(one),
        ]
        for one in group
    ]
    headings = [
        "contender", "p50", "p99", "p99.9", "max", "went wrong", "CPU", *parts, "ready", "switches",
        "wire", "memory",
    ]  # fmt: skip
    optional = (
        "switches", "ready", "memory", "p99.9", *reversed(parts), "wire", "max",
    )  # fmt: skip
    bars = ("p50", ("CPU", *parts), "memory")
    return Table(group[0].case, headings, body, notes, optional, bars)


def _cpu(one: Measured, part: str) -> str:
    ns = one.usage.get(part, {}).get("cpu_ns")
    return NONE if ns is None else units.time(ns)


def _total(one: Measured, name: str) -> float | None:
    known = [part.get(name) for part in one.usage.values()]
    values = [value for value in known if value is not None]
    return sum(values) if values else None


def _waited(one: Measured) -> str:
    ns = _total(one, "wait_ns")
    return NONE if ns is None else units.time(ns)


def _summed(one: Measured, what: str) -> str:
    value = _total(one, what)
    return NONE if value is None else units.significant(value)


def _memory(one: Measured) -> str:
    value = _total(one, "memory_bytes")
    return NONE if value is None else units.size(int(value))
