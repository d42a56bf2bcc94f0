# SPDX-License-Identifier: Apache-2.0
"""The allocators' benchmark: a callback's turnaround, faults and tail; throughput by threads."""

from __future__ import annotations

from typing import Any

import polars as pl

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report import units
from wirecost.report.scenarios import Content
from wirecost.report.table import Table, ratio_text

TITLE = "Allocators: what they cost a callback and many threads"
OURS = "wirecost"


def content(results: Results, rows: list[Row]) -> Content:
    """``rows``: one a case and contender, with one stage."""
    callbacks = [row for row in rows if row.variant == "callback"]
    stresses = [row for row in rows if row.variant == "throughput"]
    libc = results.meta["environment"].get("libc") or "n/a"
    return Content(
        TITLE,
        " ".join(filter(None, (_tail_lead(callbacks), _throughput_lead(stresses)))) or None,
        [
            *([_callbacks(callbacks, results.meta)] if callbacks else []),
            *([_throughput(stresses, results.meta)] if stresses else []),
        ],
        [*([_work(results)] if stresses else []), _settings(results.meta)],
        f"The same programs for every allocator, -O2, C library {libc}.",
    )


def _callbacks(rows: list[Row], meta: dict[str, Any]) -> Table:
    tails = [row.tail for row in rows]
    lowest = min((t.p999_ns for t in tails if t and t.p999_ns is not None), default=None)
    body = []
    for row in rows:
        tail = row.tail
        if tail is None:
            continue
        far = "–"
        if tail.p999_ns is not None and tail.p999_ci95_ns is not None:
            low, high = tail.p999_ci95_ns
            star = "*" if tail.p999_ns == lowest else ""
            far = f"{units.time(tail.p999_ns)}{star} [{units.time(low)}, {units.time(high)}]"
        quiet = tail.undisturbed_p999_ns
        body.append(
            [
                row.name,
                units.significant(1000 * tail.minor_faults),
                str(tail.callbacks_with_faults),
                units.time(row.median_ns),
                ratio_text(row, "ratio"),
                far,
                "–" if quiet is None else units.time(quiet),
                f"{100 * tail.undisturbed:.1f} %",
            ]
        )
    headings = ["allocator", "faults/1000", "with faults", "median", "× glibc defaults"]
    headings += ["p99.9", "p99.9 undisturbed", "undisturbed"]
    notes = [
        f"{rows[0].n} callbacks each, in {meta['rounds']} processes in turns, after a warm-up of "
        f"{meta['warmup']}; minor page faults in 1,000 callbacks; with faults: callbacks that took "
        "any; p99.9 with its 95 % interval, * the lowest; undisturbed: without context switches."
    ]
    optional = ("undisturbed", "with faults", "× glibc defaults", "p99.9 undisturbed")
    return Table("A lidar callback that allocates", headings, body, notes, optional)


def _throughput(rows: list[Row], meta: dict[str, Any]) -> Table:
    cases = list(dict.fromkeys(row.case for row in rows))
    best = {case: min(row.median_ns for row in rows if row.case == case) for case in cases}
    names = list(dict.fromkeys(row.name for row in rows))
    times = {(row.case, row.name): row.median_ns for row in rows}
    body = []
    for case in cases:
        cells = []
        for name in names:
            ns = times.get((case, name))
            if ns is None:
                cells.append("–")
                continue
            star = "*" if ns == best[case] else ""
            cells.append(f"{1000 / ns:.1f}{star} ({ns / best[case]:.2f})")
        body.append([case, *cells])
    notes = [
        "Million pairs of malloc and free a second, all threads together, median of "
        f"{meta['rounds']} processes in turns; * the best; in brackets: its rate over this one's."
    ]
    optional = tuple(name for name in names if not name.startswith(OURS))[::-1]
    return Table("Throughput of threads", ["stress", *names], body, notes, optional)


def _work(results: Results) -> Table:
    """What all cores did for a pair: waiting and being interrupted are not in it."""
    names = ["contender", "mode"]
    stresses = results.samples.filter(variant="throughput")
    found = stresses.group_by(["case", *names], maintain_order=True).agg(pl.median("cpu_ns"))
    who = found.select(names).unique(maintain_order=True).rows()
    body = []
    for (case,), rows in found.group_by(["case"], maintain_order=True):
        times = {(row["contender"], row["mode"]): row["cpu_ns"] for row in rows.to_dicts()}
        least = min(times.values())
        cells = (
            units.time(times[n]) + ("*" if times[n] == least else "") if n in times else "–"
            for n in who
        )
        body.append([str(case), *cells])
    notes = [
        "CPU time of a pair of malloc and free, all threads' together, median of the processes; "
        "* the least. On a busy machine it tells more than the throughput."
    ]
    headings = ["stress", *(" ".join(one) for one in who)]
    return Table("Work of a pair", headings, body, notes)


def _settings(meta: dict[str, Any]) -> Table:
    body = [[name, about["settings"]] for name, about in meta["contenders"].items()]
    notes = ["Every process showed by the address of malloc and free which allocator it ran on."]
    return Table("Settings", ["allocator", "settings"], body, notes)


def _tail_lead(rows: list[Row]) -> str | None:
    """Faults and tail of ours against the best other, both without what the machine did to them."""
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


def _throughput_lead(rows: list[Row]) -> str | None:
    """How far ours is behind the best other, whatever its mode, in its worst case."""
    cases = list(dict.fromkeys(row.case for row in rows))
    parts = []
    for mode, told in (("defaults", "at its defaults"), ("low-fault", "with huge pages")):
        behind = []
        for case in cases:
            here = {row.name: row.median_ns for row in rows if row.case == case}
            ours = here.get(f"{OURS} {mode}")
            others = [ns for name, ns in here.items() if not name.startswith(OURS)]
            if ours is not None and others:
                behind.append((ours / min(others), case))
        if behind:
            worst, case = max(behind)
            parts.append(f"{units.significant(worst)} times {told} ({case})")
    if not parts:
        return None
    return (
        f"Over {len(cases)} stresses of threads its time against the best other's of each is at "
        f"most {' and '.join(parts)}."
    )
