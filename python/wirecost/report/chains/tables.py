# SPDX-License-Identifier: Apache-2.0
"""Chains as tables and as a JSON document."""

from __future__ import annotations

from collections import Counter
from typing import Any

from wirecost.analysis.chains.latency import Latency, Miss
from wirecost.counted import counted
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

NONE = "–"
UNKNOWN = {
    "transport": "no probe sees inside",
    "queue wait": "its thread ran nothing recorded: woken late",
    "between": "its thread ran nothing recorded: woken late",
    "section": "no counter accounts for it",
    "callback": "no counter accounts for it",
    "publish": "no counter accounts for it",
}
LISTED = 20
"""Misses in the table; the JSON document has all."""


def chain_tables(found: Latency, first: str, last: str) -> list[Table]:
    """How long chains took, in which parts, and the misses."""
    tables = [_latency_table(found, first, last)]
    if found.parts:
        tables.append(_part_table(found))
    if found.misses:
        tables.append(_miss_table(found))
    return tables


def _latency_table(found: Latency, first: str, last: str) -> Table:
    names = {p: "median" if p == 50 else f"p{p:g}" for p in found.percentiles_ns}
    times = [_time(ns) for ns in (*found.percentiles_ns.values(), found.maximum_ns)]
    headings = ["chain", "count", *names.values(), "max"]
    cells = [f"{first} → {last}", f"{found.count:,}", *times]
    sections = any(part.kind == "section" for part in found.parts)
    what = "executions" if sections else "messages"
    notes = [f"{found.without_output:,} of {found.inputs:,} {what} of {first} had no output"]
    if found.deadline_ns is not None:
        headings.append("misses")
        cells.append(f"{len(found.misses):,}")
        notes.append(f"Misses took longer than {units.time(found.deadline_ns)}")
    if found.unlinked and sections:
        notes.append(
            f"{counted(found.unlinked, 'execution')} of {last} without {first} of the loop"
        )
    elif found.unlinked:
        notes.append(
            f"{counted(found.unlinked, 'message')} of {last} published outside a callback that "
            "took a message, as by a timer: in no chain"
        )
    if len(found.paths) > 1:
        notes.append(f"Chains took {len(found.paths)} paths; parts of all of them are listed")
    return Table("Chains", headings, [cells], notes, ("p99.9", "p95"))


def _part_table(found: Latency) -> Table:
    whole = found.percentiles_ns[50.0] or 0.0
    body = []
    nodes_of = Counter(part.name for part in found.parts)
    for part in found.parts:
        share = f"{100 * part.median_ns / whole:.0f} %" if whole > 0 else NONE
        cells = [
            part.name if nodes_of[part.name] == 1 else f"{part.name} ({part.node})",
            _time(part.median_ns),
            share,
            _time(part.p99_ns),
            _time(part.maximum_ns),
        ]
        body.append([*cells, _time(part.missed_ns)] if found.misses else cells)
    headings = ["part", "median", "share", "p99", "max"] + ["in misses"] * bool(found.misses)
    notes = [
        "transport: from the start of publishing to receipt; queue wait: from receipt to the start "
        "of the callback; callback: from its start to the start of publishing"
    ]
    if any(part.kind == "section" for part in found.parts):
        notes = ["Executions with the same loop number belong together"]
    return Table("Parts of a chain, in order", headings, body, notes, ("p99",))


def _miss_table(found: Latency) -> Table:
    begin = min(miss.chain.begin_ns for miss in found.misses)
    body = [
        [
            f"{(miss.chain.begin_ns - begin) / 1e9:.3f} s",
            units.time(miss.chain.ns),
            f"+{units.time(miss.excess_ns)}",
            miss.part.name,
            why(miss),
        ]
        for miss in found.misses[:LISTED]
    ]
    notes = ["Times since the first miss; the part that exceeded its median most, and why"]
    if len(found.misses) > LISTED:
        notes.append(f"{len(found.misses) - LISTED:,} more, all of them in --json")
    return Table(
        "Misses, the longest first", ["at", "took", "excess", "in", "because"], body, notes
    )


def why(miss: Miss) -> str:
    if miss.reason is None:
        return UNKNOWN[miss.part.kind]
    return f"{miss.reason} for {units.time(miss.reason_ns)}"


def _time(ns: float | None) -> str:
    return NONE if ns is None else units.time(ns)


def document(found: Latency, first: str, last: str) -> dict[str, Any]:
    """What ``--json`` writes. Times in nanoseconds."""
    return {
        "from": first,
        "to": last,
        "count": found.count,
        "inputs": found.inputs,
        "without_output": found.without_output,
        "unlinked": found.unlinked,
        **{f"p{p:g}_ns": ns for p, ns in found.percentiles_ns.items()},
        "max_ns": found.maximum_ns,
        "deadline_ns": found.deadline_ns,
        "parts": [
            {
                "kind": part.kind,
                "name": part.name,
                "node": part.node,
                "count": part.count,
                "median_ns": part.median_ns,
                "p99_ns": part.p99_ns,
                "max_ns": part.maximum_ns,
                "in_misses_ns": part.missed_ns,
            }
            for part in found.parts
        ],
        "paths": [{"parts": list(path), "count": count} for path, count in found.paths],
        "misses": [
            {
                "begin_ns": miss.chain.begin_ns,
                "ns": miss.chain.ns,
                "part": miss.part.name,
                "excess_ns": miss.excess_ns,
                "reason": miss.reason,
                "reason_ns": miss.reason_ns,
                "parts": [{"name": part.name, "ns": part.ns} for part in miss.chain.parts],
            }
            for miss in found.misses
        ],
    }
