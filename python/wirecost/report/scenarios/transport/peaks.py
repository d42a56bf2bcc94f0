# SPDX-License-Identifier: Apache-2.0
"""Peak rates, cases that failed, promises that did not hold, and both clients of a transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirecost.analysis.transport.binding import pairs
from wirecost.analysis.transport.measured import Measured
from wirecost.analysis.transport.recommendation import by_case
from wirecost.counted import counted
from wirecost.report.scenarios.transport.measurements import NONE, name
from wirecost.report.shared import units
from wirecost.report.shared.table import Amount, Table

PEAK_NOTES = [
    "peak: the highest rate without loss and with bounded latency, within 5 %.",
    "held: whether 90 % of it held for 3 s, where p99 was measured.",
    "limit: why the next higher rate did not hold.",
]


def peak_tables(found: Sequence[Measured]) -> list[Table]:
    """One for each case in which peaks were searched for."""
    cases = [[one for one in group if one.peak is not None] for group in by_case(found)]
    groups = [group for group in cases if group]
    return [_peak_table(group, PEAK_NOTES if group is groups[-1] else []) for group in groups]


def _peak_table(group: Sequence[Measured], notes: list[str]) -> Table:
    body = []
    for one in group:
        peak = one.peak or {}
        p99 = peak["confirmed_p99_ns"]
        body.append(
            [
                name(one),
                Amount(f"{peak['rate']:,.0f} Hz", peak["rate"]),
                units.size(int(peak["rate"] * one.size)) + "/s",
                "yes" if peak["confirmed"] else "no",
                NONE if p99 is None else units.time(p99),
                peak["limit"] or "the search's own limit",
            ]
        )
    one = group[0]
    many = counted(one.where.subscribers, "subscriber")
    title = f"Peak rates · {one.size:,} B, {many}, {one.where.network}"
    headings = ["contender", "peak", "bytes", "held", "p99 at 90 %", "limit"]
    return Table(title, headings, body, notes, ("bytes", "p99 at 90 %"), ("peak", "p99 at 90 %"))


def broken_table(meta: dict[str, Any]) -> Table | None:
    body = [
        [f"{run['mware']} {run['mode']}", run["case"], run["broken"], run["reproduce"]]
        for run in meta["runs"]
        if run["broken"]
    ]
    if not body:
        return None
    notes = ["Settings that promise that nothing is lost while both ends live, and what happened."]
    return Table(
        "Promises that did not hold",
        ["contender", "case", "what happened", "to see it"],
        body,
        notes,
        ("to see it", "case"),
    )


def failed_table(meta: dict[str, Any]) -> Table | None:
    body = [
        [run["case"], f"{run['mware']} {run['mode']}", run["failure"]]
        for run in meta["runs"]
        if run["failure"]
    ]
    if not body:
        return None
    notes = ["They have no numbers, and are in no other table of their case."]
    return Table("Cases that failed", ["case", "contender", "why"], body, notes, ())


def binding_table(found: Sequence[Measured]) -> Table | None:
    """What the Python client takes beside the one in C or C++, which is not the binding alone."""
    body = []
    for pair in pairs(found):
        one, other = pair.python, pair.native
        costs = one.cost_ns, other.cost_ns
        body.append(
            [
                f"{one.case}, {one.who.mware} {one.who.settings}",
                units.time(one.p50_ns),
                units.time(other.p50_ns),
                units.significant(one.p50_ns / other.p50_ns) if other.p50_ns > 0 else NONE,
                *(NONE if cost is None else units.time(cost) for cost in costs),
                units.significant(costs[0] / costs[1]) if costs[0] and costs[1] else NONE,
            ]
        )
    if not body:
        return None
    notes = [
        "Medians of latency, and processor time per message. The difference is the binding's where"
        " both are set alike; they are not alike in nats, mqtt and ros1, which have other queues,"
        " and the Python client often takes messages out of a queue that another thread fills."
    ]
    headings = [
        "case and transport", "Python p50", "native p50", "×", "Python CPU", "native CPU", "× CPU",
    ]  # fmt: skip
    bars = (("Python p50", "native p50"), ("Python CPU", "native CPU"))
    return Table("Python client beside the native one", headings, body, notes, bars=bars)
