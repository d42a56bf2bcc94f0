# SPDX-License-Identifier: Apache-2.0
"""Tables of the tensor scenario: plugins by transport, transports by size, yardsticks, delivery."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.tensor import TensorAbout, TensorMeta, TensorRun
from wirecost.results.report.scenarios.tensor.comparisons import beside
from wirecost.results.report.scenarios.tensor.contenders import (
    SENDING,
    WAITING,
    Group,
    StageShares,
    array_bytes,
    in_process,
    is_ours,
    is_wrapyfi,
    ordered,
    plugin_of,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import ratio_text
from wirecost.results.report.shared.table import Amount, Column, Table, named
from wirecost.results.report.shared.units import NONE

RAW_ROW = "raw"
"""Row of the bare libraries."""


def grid(title: str, rows: list[Row]) -> Table:
    """Return medians of the total: plugins in rows, transports in columns, the quickest first.

    The last row has the bare library under each transport.
    """
    sent = [row for row in rows if plugin_of(row) and not in_process(row.contender)]
    every = ordered(sent, list(dict.fromkeys(row.contender for row in sent)))
    ours = [name for name in every if not is_wrapyfi(name)]
    of_wrapyfi = [name for name in every if is_wrapyfi(name)]
    times = {(plugin_of(row), row.contender): row.median_ns for row in sent}
    bare = {row.contender: row.median_ns for row in rows if not plugin_of(row)}
    floors = {row.contender: row.ratio_floor.to for row in sent if row.ratio_floor}
    times |= {(RAW_ROW, name): bare[to] for name, to in floors.items() if to in bare}
    has_raw = any(plugin == RAW_ROW for plugin, _ in times)
    quickest = min((row for row in sent if is_ours(row)), key=lambda row: row.median_ns)
    compared = beside(quickest, rows)
    notes = [
        "Medians of the total, from the finished object to the received one, contenders in turns; "
        "every message's content was compared outside the times."
    ]
    return Table.matrix(
        title,
        "object",
        named([*(plugin_of(row) for row in sent), *([RAW_ROW] if has_raw else [])]),
        named([*ours, *of_wrapyfi]),
        lambda plugin, name: units.time(times.get((plugin, name))),
        notes,
        # A narrow terminal keeps the quickest, and the one of Wrapyfi's that it is compared with.
        [*(name for name in of_wrapyfi if name != compared), *reversed(ours[1:])],
        ((*ours, *of_wrapyfi),),
    )


def by_size(title: str, shown: Sequence[tuple[Row, str]], note: str, bars: bool = True) -> Table:
    """Return a row for each contender, a column for each size.

    ``shown``: what stands where; ``bars``: whether a column's numbers can be compared by length.
    """
    cells = {(row.name, array_bytes(row)): text for row, text in shown}
    sizes = sorted({size for _, size in cells})
    headings = tuple(map(units.size, sizes))
    return Table.matrix(
        title,
        "contender and object",
        named(row.name for row, _ in shown),
        zip(headings, sizes, strict=True),
        lambda name, size: cells.get((name, size), NONE),
        [note],
        # Every second size first, so that a narrow terminal still spans all of them.
        [*headings[1::2], *headings[2:-1:2]],
        headings if bars else (),
    )


def yardsticks(title: str, rows: list[Row], of_wrapyfi: dict[str, str]) -> Table:
    """Compare a transport's median with the library's own, shared memory's and Wrapyfi's.

    All are of one plugin. ``of_wrapyfi``: the ratio to Wrapyfi with the same plugin, by contender.
    """
    columns: list[Column[Row]] = [
        Column("contender and object", lambda row: row.name),
        Column("median", lambda row: units.time(row.median_ns), bar=True),
        Column("p99", lambda row: units.time(row.p99_ns), optional=1),
        Column("× raw", lambda row: ratio_text(row, row.ratio_floor)),
        Column("× shm", lambda row: ratio_text(row, row.ratio), optional=2),
        Column("× Wrapyfi", lambda row: of_wrapyfi.get(row.contender, NONE)),
    ]
    fewest = min(row.n for row in rows)
    notes = [
        "Ratios of medians with 95 % intervals. × raw: to the bare library sending the same number "
        "of bytes; × shm: to shared memory with one copy and an eventfd; × Wrapyfi: to Wrapyfi "
        "with the same object, over the same library or else over ZeroMQ.",
        f"p99 is near the largest of {fewest} messages."
        if fewest < 1000
        else f"p99 of {fewest} messages.",
    ]
    return Table.of(title, sorted(rows, key=lambda row: row.median_ns), columns, notes)


def objects(group: Group, shape: str, shares: list[StageShares], contender: str) -> Table | None:
    """Return what each plugin's objects cost over the transport that is quickest."""
    here = [share for share in shares if (share.group, share.shape) == (group, shape)]
    ours = [share for share in here if share.mware == contender]
    of_wrapyfi = {
        share.plugin: share.coding_ns for share in here if share.mware == "wrapyfi-in-process"
    }
    packed = any("compress" in share.ns for share in ours)

    def part(
        name: str, title: str = "", optional: int = 0, shown: bool = True
    ) -> Column[StageShares]:
        return Column(
            title or name, lambda share: units.time(share.ns.get(name)), "time", optional, shown
        )

    columns: list[Column[StageShares]] = [
        Column("object", lambda share: share.plugin),
        part("compress", shown=packed),
        part("encode"),
        part(SENDING, optional=3),
        part(WAITING, "rest", optional=2),
        part("decode"),
        part("decompress", shown=packed),
        part("access", optional=1),
        Column("size", lambda share: units.size(share.nbytes), bar=True, shown=packed),
        Column(
            "coding %",
            lambda share: Amount(f"{100 * share.coding_share:.0f}", share.coding_share),
            bar=True,
        ),
        Column("Wrapyfi", lambda share: units.time(of_wrapyfi.get(share.plugin) or None), "time"),
    ]
    notes = [
        f"Medians over {contender}. publish: the sending call, until the listener has the "
        "message; rest: the transit after that call. coding %: share of encode and decode in the "
        "total. Wrapyfi: time of its encode and decode within one process."
        + (" size: of a message; floors send the array, not compressed." if packed else "")
    ]
    title = f"Objects over {contender} · {shape} {group.title}"
    ranked = sorted(ours, key=lambda share: share.coding_ns)
    return Table.of(title, ranked, columns, notes) if ours else None


@dataclass(frozen=True)
class _Delivered:
    """All runs of a contender that sends objects."""

    name: str
    about: TensorAbout
    runs: list[TensorRun]

    @property
    def rates(self) -> list[float]:
        """Achieved rates in percent of the asked ones."""
        return [100 * r.rate / r.asked_rate for r in self.runs if r.rate and r.asked_rate]

    @property
    def lost_without_pause(self) -> int | None:
        """Messages lost of those sent back to back; None where none were."""
        counts = [run.lost_without_pause for run in self.runs]
        return None if all(count is None for count in counts) else sum(filter(None, counts))


def delivery(meta: TensorMeta, rows: list[Row]) -> Table:
    """Return rate, losses and copies, a row for each contender, all its runs together."""
    delivered = [
        _Delivered(
            name, meta.contenders[name], [r for r in meta.runs if r.contender == name and r.mode]
        )
        for name in dict.fromkeys(row.contender for row in rows if plugin_of(row))
    ]

    def summed(title: str, what: str, optional: int = 0) -> Column[_Delivered]:
        return Column(
            title,
            lambda contender: f"{sum(getattr(run, what) for run in contender.runs):,}",
            optional=optional,
        )

    def worst(contender: _Delivered) -> float | None:
        return max(contender.rates, key=lambda rate: abs(rate - 100), default=None)

    columns: list[Column[_Delivered]] = [
        Column("contender", lambda contender: contender.name),
        summed("sent", "sent", 4),
        summed("lost", "lost"),
        summed("twice", "duplicates", 6),
        summed("out of order", "reordered", 3),
        Column(
            "lost, back to back",
            lambda contender: units.amount(contender.lost_without_pause),
            optional=1,
        ),
        Column(
            "% of rate",
            lambda contender: units.amount(
                statistics.median(contender.rates) if contender.rates else None, ".1f"
            ),
        ),
        Column("worst", lambda contender: units.amount(worst(contender), ".1f"), optional=2),
        Column("copies sending", lambda contender: units.amount(contender.about.send_copies, "")),
        Column("receiving", lambda contender: units.amount(contender.about.receive_copies, "")),
        Column("aligned", lambda contender: ALIGNED[contender.about.aligned], optional=5),
        Column(
            "failed",
            lambda contender: str(sum(run.failure is not None for run in contender.runs) or NONE),
            optional=7,
        ),
    ]
    notes = [
        "All objects together, without warm-up. out of order: arrived after a later message. % "
        f"of rate: the achieved rate in percent of the requested {meta.rate:g} Hz (with --sweep: "
        "of each size's rate), median of the runs; worst: the run furthest off. Copies: of the "
        "bytes, as the middleware counts them. aligned: received at a multiple of 64 bytes, as "
        "JAX and TensorFlow need. failed: objects that the middleware could not carry."
    ]
    return Table.of("Delivery and copies", delivered, columns, notes)


ALIGNED = {None: NONE, True: "yes", False: "no"}


def clocks(meta: TensorMeta, rows: list[Row]) -> Table | None:
    """Return how well times between two machines are known; None where they share a clock."""
    crossed = [row for row in rows if row.stage == "transit" and row.clock_bound_ns is not None]
    if not crossed or meta.listener is None:
        return None
    columns: list[Column[Row]] = [
        Column("contender and object", lambda row: f"{row.case} {row.name}"),
        Column("transit", lambda row: units.time(row.median_ns), bar=True),
        Column("bound", lambda row: f"± {units.time(row.clock_bound_ns)}"),
        Column("resolved", lambda row: "below the bound" if row.below_clock_bound else "yes"),
        Column(
            "clock ahead",
            lambda row: f"{(row.run_as(TensorRun).clock_offset_ns or 0) / 1e9:+.6f} s",
            optional=1,
        ),
    ]
    notes = [
        f"The listener was on {meta.listener.host}. Its clock was compared with the "
        "publisher's by ping before and after each block: the error of transit, and of every "
        "time that contains it, is at most the bound. Below the bound: the latency is smaller "
        "than the bound, and no more is known."
    ]
    return Table.of("Clocks of two machines", crossed, columns, notes)


def schedule(meta: TensorMeta) -> Table | None:
    """Return a row for each run that started messages late; None if there is none."""
    late = [run for run in meta.runs if run.late]
    columns: list[Column[TensorRun]] = [
        Column(
            "contender and object", lambda run: f"{run.case} {run.contender} {run.mode}".rstrip()
        ),
        Column("late", lambda run: f"{run.late} of {run.sent}"),
        Column("at most", lambda run: units.time(run.most_lag_ns or 0), bar=True, optional=1),
        Column("Hz asked", lambda run: f"{run.asked_rate:.4g}", optional=2),
        Column("Hz", lambda run: units.amount(run.rate or None, ".4g")),
    ]
    notes = [
        "Late: started a tenth of a period or more after it was due, because the contender was "
        "still busy with the previous message, or the machine with something else; overdue "
        "messages follow back to back. Hz: rate of whole blocks, from when the first message was "
        "due."
    ]
    return Table.of("Messages started late", late, columns, notes) if late else None
