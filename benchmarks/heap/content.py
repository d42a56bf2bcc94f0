# SPDX-License-Identifier: Apache-2.0
"""The allocators' benchmark: a callback's turnaround, faults and tail; throughput by threads."""

from __future__ import annotations

import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.analysis.tail import Tail
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent, joined
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import contenders_table, ratio_text
from wirecost.results.report.shared.table import Amount, Column, Table, named
from wirecost.system.counted import counted

from .schema import HeapMeta

TITLE = "Allocators: what they cost a callback and many threads"
OURS = "wirecost"

_Costs = dict[str, dict[str, float]]
"""Nanoseconds by case and contender."""


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report. ``rows``: one for each case and contender, with one stage."""
    callbacks = [row for row in rows if row.variant == "callback"]
    stresses = [row for row in rows if row.variant == "throughput"]
    meta = results.meta_as(HeapMeta)
    settings = contenders_table(
        meta.contenders,
        {"settings": lambda contender: contender.settings},
        ["Every process showed by the address of malloc and free which allocator it ran on."],
        title="Settings",
        first="allocator",
    )
    return ScenarioContent(
        TITLE,
        joined(_tail_lead(callbacks), _throughput_lead(results, stresses)),
        [
            *([_callbacks(callbacks, meta)] if callbacks else []),
            *([_throughput(stresses, meta)] if stresses else []),
        ],
        [*([_work(results)] if stresses else []), settings],
        f"The same programs for every allocator, -O2, C library "
        f"{meta.environment.get('libc') or 'n/a'}.",
    )


def _callbacks(rows: list[Row], meta: HeapMeta) -> Table:
    counted_rows = [(row, row.tail) for row in rows if row.tail is not None]
    far = [tail.p999_ns for _, tail in counted_rows if tail.p999_ns is not None]
    lowest = min(far, default=None)

    def p999(pair: tuple[Row, Tail]) -> str:
        _, tail = pair
        if tail.p999_ns is None or tail.p999_ci95_ns is None:
            return units.NONE
        star = "*" * (tail.p999_ns == lowest)
        return (
            units.time(tail.p999_ns) + f"{star} [{', '.join(map(units.time, tail.p999_ci95_ns))}]"
        )

    columns: list[Column[tuple[Row, Tail]]] = [
        Column("allocator", lambda of: of[0].name),
        Column("faults/1000", lambda of: units.significant_amount(1000 * of[1].minor_faults), True),
        Column("with faults", lambda of: str(of[1].callbacks_with_faults), optional=2),
        Column("median", lambda of: units.time(of[0].median_ns), True),
        Column("× glibc defaults", lambda of: ratio_text(of[0], of[0].ratio), optional=3),
        Column("p99.9", p999, "p99.9"),
        Column(
            "p99.9 undisturbed",
            lambda of: units.time(of[1].undisturbed_p999_ns),
            "p99.9",
            optional=4,
        ),
        Column("undisturbed", lambda of: units.percent(of[1].undisturbed), optional=1),
    ]
    processes = counted(meta.rounds, "process", "processes")
    notes = [
        f"{rows[0].n} callbacks each, in {processes} in turns, after a warm-up of "
        f"{meta.warmup}; minor page faults in 1,000 callbacks; with faults: callbacks that took "
        "any; p99.9 with its 95 % interval, * the lowest; undisturbed: without context switches."
    ]
    return Table.of("A lidar callback that allocates", counted_rows, columns, notes)


def _throughput(rows: list[Row], meta: HeapMeta) -> Table:
    times = _by_case(rows)
    names = list(dict.fromkeys(row.name for row in rows))

    def rate(case: str, name: str) -> str:
        ns = times[case].get(name)
        if not ns:
            return units.NONE
        least = min(filter(None, times[case].values()))
        star = "*" * (ns == least)
        return Amount(f"{1000 / ns:.1f}{star} ({ns / least:.2f})", 1000 / ns)

    notes = [
        "Million pairs of malloc and free per second, all threads together, median of "
        f"{counted(meta.rounds, 'process', 'processes')} in turns; * the best; in brackets: the "
        "best rate divided by this one."
    ]
    return Table.matrix(
        "Throughput of threads",
        "stress",
        named(times),
        named(names),
        rate,
        notes,
        [name for name in names if not name.startswith(OURS)][::-1],
        (tuple(names),),
    )


def _by_case(rows: list[Row]) -> _Costs:
    times: _Costs = {}
    for row in rows:
        times.setdefault(row.case, {})[row.name] = row.median_ns
    return times


def _work_costs(results: Results) -> _Costs:
    """Return nanoseconds of all cores per pair, without waiting and interruptions."""
    costs: _Costs = {}
    keys = ["case", "contender", "mode"]
    stresses = results.samples.filter(variant="throughput")
    worked = stresses.drop_nulls("cpu_ns")  # the first folders have none
    medians = worked.group_by(keys, maintain_order=True).agg(pl.median("cpu_ns"))
    for case, contender, mode, ns in medians.iter_rows():
        costs.setdefault(case, {})[f"{contender} {mode}"] = ns
    return costs


def _work(results: Results) -> Table:
    costs = _work_costs(results)
    names = list(dict.fromkeys(name for here in costs.values() for name in here))

    def cost(here: dict[str, float], name: str) -> str:
        ns = here.get(name)
        return units.time(ns) + "*" * (ns == min(here.values()))

    notes = [
        "CPU time per pair of malloc and free, of all threads together, median of the processes; "
        "* the least. Waiting for a lock and other programs are not included: on a busy machine "
        "it is more reliable than the throughput."
    ]
    bars = (tuple(names),)
    return Table.matrix(
        "CPU time per pair", "stress", costs.items(), named(names), cost, notes, bars=bars
    )


def _tail_lead(rows: list[Row]) -> str | None:
    """Compare faults and tail of ours with the best other's, without what the machine did."""
    tails = {row.name: row.tail for row in rows if row.tail is not None}
    ours = tails.get(f"{OURS} defaults")
    if ours is None or ours.undisturbed_p999_ns is None:
        return None
    others = [
        (tail.undisturbed_p999_ns, name)
        for name, tail in tails.items()
        if not name.startswith(OURS) and tail.undisturbed_p999_ns is not None
    ]
    if not others:
        return None
    best, name = min(others)
    return (
        f"wirecost at its defaults took {units.significant(1000 * ours.minor_faults)} page faults "
        "in 1,000 callbacks; of those that no context switch interrupted, the slowest in a "
        f"thousand took {units.time(ours.undisturbed_p999_ns)}, with the best other ({name}) "
        f"{units.time(best)}."
    )


def _throughput_lead(results: Results, rows: list[Row]) -> str | None:
    """Compare ours with the best other, whatever its mode, in the worst case of each."""
    times = _by_case(rows)
    parts = [
        f"at most {units.significant(worst[0])} times the {what} ({worst[1]})"
        for what, costs in (("time", times), ("CPU time", _work_costs(results)))
        if (worst := _worst(costs)) is not None
    ]
    if not parts:
        return None
    return (
        f"A pair of malloc and free takes wirecost heap at its defaults, over {len(times)} tests "
        f"of one thread or more and compared with the best other allocator of each, "
        f"{' and '.join(parts)}."
    )


def _worst(costs: _Costs) -> tuple[float, str] | None:
    """Return how many times the best other's cost ours is, where it is most, and where."""
    behind = []
    for case, here in costs.items():
        ours = here.get(f"{OURS} defaults")
        others = [cost for name, cost in here.items() if not name.startswith(OURS) and cost]
        if ours is not None and others:
            behind.append((ours / min(others), case))
    return max(behind, default=None)
