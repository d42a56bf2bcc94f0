# SPDX-License-Identifier: Apache-2.0
"""The allocators' benchmark: a callback's turnaround, faults and tail; throughput by threads."""

from __future__ import annotations

from typing import Any

import polars as pl

from wirecost.analysis.summary import Row
from wirecost.counted import counted
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content
from wirecost.report.shared import units
from wirecost.report.shared.races import ratio_text
from wirecost.report.shared.table import Amount, Table

TITLE = "Allocators: what they cost a callback and many threads"
OURS = "wirecost"

_Costs = dict[str, dict[str, float]]
"""Nanoseconds by case and contender."""


def content(results: Results, rows: list[Row]) -> Content:
    """``rows``: one a case and contender, with one stage."""
    callbacks = [row for row in rows if row.variant == "callback"]
    stresses = [row for row in rows if row.variant == "throughput"]
    libc = results.meta["environment"].get("libc") or "n/a"
    return Content(
        TITLE,
        " ".join(filter(None, (_tail_lead(callbacks), _throughput_lead(results, stresses))))
        or None,
        [
            *([_callbacks(callbacks, results.meta)] if callbacks else []),
            *([_throughput(stresses, results.meta)] if stresses else []),
        ],
        [*([_work(results)] if stresses else []), _settings(results.meta)],
        f"The same programs for every allocator, -O2, C library {libc}.",
    )


def _callbacks(rows: list[Row], meta: dict[str, Any]) -> Table:
    tails = [row.facts["tail"] for row in rows]
    lowest = min((t.p999_ns for t in tails if t and t.p999_ns is not None), default=None)
    body = []
    for row in rows:
        tail = row.facts["tail"]
        if tail is None:
            continue
        far: str = "–"
        if tail.p999_ns is not None and tail.p999_ci95_ns is not None:
            low, high = tail.p999_ci95_ns
            star = "*" if tail.p999_ns == lowest else ""
            far = units.time(tail.p999_ns) + f"{star} [{units.time(low)}, {units.time(high)}]"
        quiet, faults = tail.undisturbed_p999_ns, 1000 * tail.minor_faults
        body.append(
            [
                row.name,
                Amount(units.significant(faults), faults),
                str(tail.callbacks_with_faults),
                units.time(row.median_ns),
                ratio_text(row, row.ratio),
                far,
                "–" if quiet is None else units.time(quiet),
                units.percent(tail.undisturbed),
            ]
        )
    headings = ["allocator", "faults/1000", "with faults", "median", "× glibc defaults"]
    headings += ["p99.9", "p99.9 undisturbed", "undisturbed"]
    processes = counted(meta["rounds"], "process", "processes")
    notes = [
        f"{rows[0].n} callbacks each, in {processes} in turns, after a warm-up of "
        f"{meta['warmup']}; minor page faults in 1,000 callbacks; with faults: callbacks that took "
        "any; p99.9 with its 95 % interval, * the lowest; undisturbed: without context switches."
    ]
    optional = ("undisturbed", "with faults", "× glibc defaults", "p99.9 undisturbed")
    bars = ("faults/1000", "median", ("p99.9", "p99.9 undisturbed"))
    return Table("A lidar callback that allocates", headings, body, notes, optional, bars)


def _throughput(rows: list[Row], meta: dict[str, Any]) -> Table:
    cases = list(dict.fromkeys(row.case for row in rows))
    timed = [row for row in rows if row.median_ns]
    best = {row.case: min(r.median_ns for r in timed if r.case == row.case) for row in timed}
    names = list(dict.fromkeys(row.name for row in rows))
    times = {(row.case, row.name): row.median_ns for row in rows}
    body = []
    for case in cases:
        cells: list[str] = []
        for name in names:
            ns = times.get((case, name))
            if not ns:
                cells.append("–")
                continue
            star = "*" if ns == best[case] else ""
            cells.append(Amount(f"{1000 / ns:.1f}{star} ({ns / best[case]:.2f})", 1000 / ns))
        body.append([case, *cells])
    notes = [
        "Million pairs of malloc and free per second, all threads together, median of "
        f"{counted(meta['rounds'], 'process', 'processes')} in turns; * the best; in brackets: the "
        "best rate divided by this one."
    ]
    optional = tuple(name for name in names if not name.startswith(OURS))[::-1]
    bars = (tuple(names),)
    return Table("Throughput of threads", ["stress", *names], body, notes, optional, bars)


def _work_costs(results: Results) -> _Costs:
    """Nanoseconds of all cores per pair, without waiting and interruptions."""
    costs: _Costs = {}
    keys = ["case", "contender", "mode"]
    stresses = results.samples.filter(variant="throughput")
    worked = stresses.drop_nulls("cpu_ns")  # the first folders have none
    found = worked.group_by(keys, maintain_order=True).agg(pl.median("cpu_ns"))
    for case, contender, mode, ns in found.iter_rows():
        costs.setdefault(case, {})[f"{contender} {mode}"] = ns
    return costs


def _work(results: Results) -> Table:
    costs = _work_costs(results)
    names = list(dict.fromkeys(name for here in costs.values() for name in here))
    body = []
    for case, here in costs.items():
        least = min(here.values())
        cells = (
            units.time(here[name]) + ("*" if here[name] == least else "") if name in here else "–"
            for name in names
        )
        body.append([case, *cells])
    notes = [
        "CPU time per pair of malloc and free, of all threads together, median of the processes; "
        "* the least. Waiting for a lock and other programs are not included: on a busy machine "
        "it is more reliable than the throughput."
    ]
    return Table("CPU time per pair", ["stress", *names], body, notes, bars=(tuple(names),))


def _settings(meta: dict[str, Any]) -> Table:
    body = [[name, about["settings"]] for name, about in meta["contenders"].items()]
    notes = ["Every process showed by the address of malloc and free which allocator it ran on."]
    return Table("Settings", ["allocator", "settings"], body, notes)


def _tail_lead(rows: list[Row]) -> str | None:
    """Faults and tail of ours against the best other, both without what the machine did to them."""
    tails = {row.name: row.facts["tail"] for row in rows if row.facts["tail"] is not None}
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
    """Ours against the best other, whatever its mode, in the worst case of each."""
    times: _Costs = {}
    for row in rows:
        times.setdefault(row.case, {})[row.name] = row.median_ns
    parts = [
        f"at most {units.significant(worst[0])} times the {what} ({worst[1]})"
        for what, costs in (("time", times), ("CPU time", _work_costs(results)))
        if (worst := _worst(costs)) is not None
    ]
    if not parts:
        return None
    return (
        f"A pair of malloc and free takes wirecost heap at its defaults, over {len(times)} tests "
        f"with several threads and compared with the best other allocator of each, "
        f"{' and '.join(parts)}."
    )


def _worst(costs: _Costs) -> tuple[float, str] | None:
    """How many times the best other's cost ours is, where it is most, and where."""
    behind = []
    for case, here in costs.items():
        ours = here.get(f"{OURS} defaults")
        others = [cost for name, cost in here.items() if not name.startswith(OURS) and cost]
        if ours is not None and others:
            behind.append((ours / min(others), case))
    return max(behind, default=None)
