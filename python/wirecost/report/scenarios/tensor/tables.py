# SPDX-License-Identifier: Apache-2.0
"""Tables of the tensor scenario: plugins by transport, transports by size, yardsticks, delivery."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from wirecost.analysis.summary import Row
from wirecost.report.scenarios.tensor.contenders import (
    Group,
    array_bytes,
    floor_ratio,
    in_process,
    is_ours,
    is_wrapyfi,
    ordered,
    plugin_of,
)
from wirecost.report.scenarios.tensor.shares import SENDING, WAITING, Shares
from wirecost.report.shared import units
from wirecost.report.shared.races import ratio_text
from wirecost.report.shared.table import Amount, Table

NONE = "–"


def grid(title: str, rows: list[Row]) -> Table:
    """Medians of the total: plugins in rows, transports in columns, the quickest first."""
    objects = [row for row in rows if plugin_of(row) and not in_process(row.contender)]
    names = ordered(objects, list(dict.fromkeys(row.contender for row in objects)))
    mine = [name for name in names if not is_wrapyfi(name)]
    names = mine + [name for name in names if is_wrapyfi(name)]
    times = {(plugin_of(row), row.contender): units.time(row.median_ns) for row in objects}
    plugins = list(dict.fromkeys(plugin_of(row) for row in objects))
    body = [[plugin, *(times.get((plugin, name), NONE) for name in names)] for plugin in plugins]
    notes = [
        "Medians of the total, from the finished object to the received one, contenders in turns; "
        "every message's content was compared outside the times."
    ]
    # A narrow terminal keeps the quickest contenders and Wrapyfi's best.
    theirs = [name for name in names if is_wrapyfi(name)]
    optional = (*theirs[1:], *reversed(mine[1:]))
    return Table(title, ["object", *names], body, notes, optional, (tuple(names),))


def by_size(title: str, shown: Sequence[tuple[Row, str]], note: str, bars: bool = True) -> Table:
    """A row for each contender, a column for each size; ``shown``: what stands where; ``bars``:
    whether a column's numbers can be compared by length."""
    sizes = sorted({array_bytes(row) for row, _ in shown})
    names = dict.fromkeys(row.name for row, _ in shown)
    cells = {(row.name, array_bytes(row)): text for row, text in shown}
    body = [[name, *(cells.get((name, size), NONE) for size in sizes)] for name in names]
    named = tuple(units.size(size) for size in sizes)
    # Every second size first, so that a narrow terminal still spans all of them.
    optional = (*named[1::2], *named[2:-1:2])
    headings = ["contender and object", *named]
    return Table(title, headings, body, [note], optional, named if bars else ())


def yardsticks(title: str, rows: list[Row], beside: dict[str, str]) -> Table:
    """A transport's median with the library's own, shared memory's and Wrapyfi's of one plugin.

    ``beside``: the ratio to Wrapyfi with the same plugin, by contender.
    """
    body = []
    for row in sorted(rows, key=lambda row: row.median_ns):
        body.append(
            [
                row.name,
                units.time(row.median_ns),
                units.time(row.p99_ns),
                ratio_text(row, floor_ratio(row)),
                ratio_text(row, row.ratio),
                beside.get(row.contender, NONE),
            ]
        )
    headings = ["contender and object", "median", "p99", "× raw", "× shm", "× Wrapyfi"]
    notes = [
        "Ratios of medians with 95 % intervals. × raw: to the bare library sending the same number "
        "of bytes; × shm: to shared memory with one copy and an eventfd; × Wrapyfi: to Wrapyfi "
        "with the same object, over the same library or else over ZeroMQ.",
        f"p99 of {min(row.n for row in rows)} messages.",
    ]
    if min(row.n for row in rows) < 1000:
        notes[-1] = f"p99 is near the largest of {min(row.n for row in rows)} messages."
    return Table(title, headings, body, notes, ("p99", "× shm"), ("median",))


def objects(group: Group, shape: str, shares: list[Shares], contender: str) -> Table | None:
    """What each plugin's objects cost over the transport that is quickest."""
    mine = [one for one in shares if (one.group, one.shape, one.mware) == (group, shape, contender)]
    theirs = {
        one.plugin: one.ns
        for one in shares
        if (one.group, one.shape) == (group, shape) and one.mware == "wrapyfi-in-process"
    }
    body = []
    packed = any("compress" in one.ns for one in mine)
    steps = ["encode", SENDING, WAITING, "decode"]
    steps = ["compress", *steps, "decompress"] if packed else steps
    for one in sorted(mine, key=coding):
        coded = theirs.get(one.plugin, {})
        other = coded.get("encode", 0.0) + coded.get("decode", 0.0)
        body.append(
            [
                one.plugin,
                *(_time(one.ns.get(name)) for name in steps),
                _time(one.ns.get("access")),
                *([units.size(one.nbytes)] if packed else []),
                Amount(f"{100 * share(one):.0f}", share(one)),
                _time(other or None),
            ]
        )
    if not body:
        return None
    names = ["rest" if name == WAITING else name for name in steps]
    size = ("size",) if packed else ()
    headings = ["object", *names, "access", *size, "coding %", "Wrapyfi"]
    notes = [
        f"Medians over {contender}. publish: the sending call, until the listener has the "
        "message; rest: the transit after that call. coding %: share of encode and decode in the "
        "total. Wrapyfi: time of its encode and decode within one process."
        + (" size: of a message; floors send the array, not compressed." if packed else "")
    ]
    optional = ("access", "rest", "publish")
    bars = ((*names, "access", "Wrapyfi"), *size, "coding %")
    title = f"Objects over {contender} · {shape} {group.title}"
    return Table(title, headings, body, notes, optional, bars)


def coding(one: Shares) -> float:
    """Nanoseconds of encoding and decoding."""
    return one.ns.get("encode", 0.0) + one.ns.get("decode", 0.0)


def share(one: Shares) -> float:
    """Part of the time, without access, that is encoding and decoding."""
    whole = sum(ns for name, ns in one.ns.items() if name != "access")
    return coding(one) / whole if whole else 0.0


def delivery(meta: dict[str, Any], rows: list[Row]) -> Table:
    """Rate, losses and copies, a row for each contender, all its runs together."""
    names = dict.fromkeys(row.contender for row in rows if plugin_of(row))
    body = []
    for name in names:
        runs = [run for run in meta["runs"] if run["contender"] == name and run["mode"]]
        rated = [run for run in runs if run["rate"] and run["asked_rate"]]
        rates = [100 * run["rate"] / run["asked_rate"] for run in rated]
        about = meta["contenders"][name]
        failed = sum(run["failure"] is not None for run in runs)
        paused = [run["lost_without_pause"] for run in runs]
        body.append(
            [
                name,
                *(_sum(runs, name) for name in ("sent", "lost", "duplicates", "reordered")),
                NONE if all(lost is None for lost in paused) else f"{sum(filter(None, paused)):,}",
                f"{statistics.median(rates):.1f}" if rates else NONE,
                f"{max(rates, key=lambda rate: abs(rate - 100)):.1f}" if rates else NONE,
                *(_copies(about.get(name)) for name in ("send_copies", "receive_copies")),
                NONE if about.get("aligned") is None else "yes" if about["aligned"] else "no",
                str(failed) if failed else NONE,
            ]
        )
    headings = [
        "contender", "sent", "lost", "twice", "out of order", "lost, back to back", "% of rate",
        "worst", "copies sending", "receiving", "aligned", "failed",
    ]  # fmt: skip
    notes = [
        "All objects together, without warm-up. out of order: arrived after a later message. "
        f"% of rate: the achieved rate in percent of the requested {meta['rate']:g} Hz (with "
        "--sweep: of each size's rate), median of the runs; worst: the run furthest off. Copies: "
        "of the bytes, as the transport counts them. aligned: received at a multiple of 64 bytes, "
        "as JAX and TensorFlow need. failed: objects that the transport could not carry."
    ]
    optional = ("lost, back to back", "worst", "out of order", "sent", "aligned", "twice", "failed")
    return Table("Delivery and copies", headings, body, notes, optional)


def _sum(runs: list[dict[str, Any]], name: str) -> str:
    return f"{sum(run[name] for run in runs):,}"


def _copies(count: int | None) -> str:
    return NONE if count is None else str(count)


def _time(ns: float | None) -> str:
    return NONE if ns is None else units.time(ns)


def ours_between(rows: list[Row]) -> list[Row]:
    """Transports' rows, with an object, between two processes."""
    return [row for row in rows if is_ours(row) and not in_process(row.contender)]
