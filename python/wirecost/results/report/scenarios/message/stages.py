# SPDX-License-Identifier: Apache-2.0
"""Stages and total of every contender of a message, and what it takes of a processor at a rate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from wirecost.results.analysis.message_doubts import MOST_APART, MOST_OFF, Doubt, Key, is_in_doubt
from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.message import AtRate, Carrying, MessageMeta
from wirecost.results.report.scenarios.message.changes import COLUMNS, FROM_ARRAYS
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import (
    FEWEST,
    LANGUAGES,
    NAME,
    Race,
    baseline,
    contenders,
    races,
    ratio_column,
    samples_taken,
    stage_column,
    stage_winners,
    total_column,
)
from wirecost.results.report.shared.table import Amount, Column, Table
from wirecost.system.counted import counted

STEPS = {"fill": 3, "encode": 0, "decode": 0, "read": 4, "destroy": 1, "total": 0}
"""Stages, with their ranks among the columns that a narrow terminal leaves out."""
SECOND = 1e9
MODES = {
    "new": "new objects for each message",
    "reused": "the same objects again",
    "view": "reading the bytes in place",
    "converted": "rows on both sides, converted to columns and back",
    "arena": "objects on an arena that is reset",
    "best": "wrapped bytes, reused buffers and aliasing",
}
READ_IN_PYTHON = (
    " read in Python: every field once, by name; numbers are added, lists of them by sum(), "
    "columns by NumPy's, texts and bytes hashed."
)


def stage_tables(meta: MessageMeta, rows: list[Row], doubted: Mapping[Key, Doubt]) -> list[Table]:
    """Return a table for each language.

    The first one's note explains all of them, and each has one of its own doubts.
    """
    tables: list[Table] = []
    for race in races(rows):
        winners = stage_winners(rows, race)
        columns = [
            NAME,
            *(stage_column(stage, winners, optional) for stage, optional in STEPS.items()),
            ratio_column(baseline(rows, race)),
            total_column("size", lambda row: units.size(row.bytes), bar=True, optional=2),
        ]
        lang = race[4]
        notes = [] if tables else [_legend(meta, rows)]
        if lang in FROM_ARRAYS and any(
            row.contender == COLUMNS for row in rows if row.lang == lang
        ):
            notes.append(f"{COLUMNS} is filled from arrays.")
        unsure = {(row.lang, row.name) for row in rows if row.stage == "total"
                  and is_in_doubt(row, doubted)}  # fmt: skip
        notes += _doubts(
            [doubt for key, doubt in doubted.items() if key in unsure and key[0] == lang], lang
        )
        title = f"{LANGUAGES.get(lang, lang)} · {meta.type} · time per message"
        tables.append(Table.of(title, contenders(rows, race), columns, notes))
    return tables


def _legend(meta: MessageMeta, rows: list[Row]) -> str:
    has_interval = any(row.repetitions >= FEWEST for row in rows)
    interval = (
        "with its 95 % interval"
        if has_interval
        else f"without an interval, which takes {FEWEST} processes"
    )
    modes = {word for row in rows for word in row.mode.split()}
    said = "; ".join(f"{mode}: {what}" for mode, what in MODES.items() if mode in modes)
    most, fewest = max(rows, key=lambda row: row.n), min(row.n for row in rows)
    samples = samples_taken(most, "samples")
    if fewest < most.n:
        samples += f" (of slow contenders {fewest:,} at least)"
    read = READ_IN_PYTHON if any(row.lang == "python" for row in rows) else ""
    return (
        f"{meta.content}. Medians of {samples}, per message; in each round every contender has a "
        "new process. total: all stages of each message in a row, while its data is in the "
        "caches; each stage is timed over all messages before the next. ×: ratio of totals, "
        f"{interval}; * marks the fastest. {said}.{read}"
    )


def _doubts(found: Iterable[Doubt], lang: str) -> list[str]:
    """Say why some rows allow no advice."""
    off, apart = [], []
    for share in found:
        if share.stages is not None:
            off.append(
                f"{share.name} (sum {units.time(share.stages)}, total {units.time(share.total)})"
            )
        if share.processes is not None:
            low, high = map(units.time, share.processes)
            apart.append(f"{share.name} ({low} to {high})")
    notes = []
    if off:
        notes.append(
            f"The sum of the stages differs from the total, which counts, by more than "
            f"{100 * MOST_OFF:.0f} %: {', '.join(off)}."
        )
    if apart:
        notes.append(
            f"Medians of processes differ by more than {MOST_APART:.0f}×: {', '.join(apart)}."
        )
    if notes:
        load = "Other load on the machine"
        if lang == "java":
            load += ", which also delays the JIT compiler,"
        notes[-1] += (
            " Their ratios are too noisy to recommend anything by them. "
            f"{load} is the usual cause: run again while it is idle."
        )
    return notes


def at_rate(meta: MessageMeta, rows: list[Row]) -> Table | None:
    """Return what a message takes of a processor at a rate, computed from the medians.

    The cheapest contender of a language comes first. None where no rate was asked for.
    """
    rate = meta.at_rate
    if not rate:
        return None
    carrying = rate.carrying
    columns: list[Column[Load]] = [
        Column("contender", lambda load: load.title),
        Column("sender", lambda load: units.time(rate.rate * load.sender_ns), optional=1),
        Column("subscriber", lambda load: units.time(rate.rate * load.subscriber_ns), optional=2),
        Column(
            carrying.over if carrying else "",
            lambda _: units.time(rate.rate * _transport_ns(rate)),
            shown=carrying is not None,
        ),
        Column("of a core", lambda load: share_of_core(load.share), bar=True),
        Column("delivered", lambda load: units.size(load.bytes), bar=True),
    ]
    title = (
        f"At {units.significant(rate.rate)} messages per second, "
        f"{counted(rate.subscribers, 'subscriber')}"
    )
    note = _rate_note(carrying, rate.subscribers)
    return Table.of(title, loads(rate, rows).values(), columns, [note])


@dataclass(frozen=True)
class Load:
    """Load of one contender: nanoseconds per message, share of a core, bytes in a second."""

    title: str
    sender_ns: float
    subscriber_ns: float
    share: float
    bytes: int


def loads(asked: AtRate, rows: list[Row]) -> dict[Key, Load]:
    """Return the load of each contender, the cheapest of a language first."""
    return {
        (race[4], name): load
        for race in races(rows)
        for name, load in sorted(_loads(asked, rows, race), key=lambda pair: pair[1].share)
    }


def _loads(asked: AtRate, rows: list[Row], race: Race) -> Iterator[tuple[str, Load]]:
    """Yield the load of each contender of a race: its total, divided as its stages are."""
    for name, stages in contenders(rows, race):
        total = stages["total"]
        ns = {stage: row.median_ns for stage, row in stages.items() if row is not total}
        scale = total.median_ns / (sum(ns.values()) or 1.0)
        # Both sides' objects are destroyed together; each subscriber has some of its own.
        destroyed = ns.get("destroy", 0.0) / 2
        sender = scale * (ns.get("fill", 0.0) + ns.get("encode", 0.0) + destroyed)
        each = total.median_ns - sender
        whole = sender + asked.subscribers * each + _transport_ns(asked)
        size = round(total.bytes * asked.rate * asked.subscribers)
        title = f"{LANGUAGES.get(race[4], race[4])} {name}"
        yield name, Load(title, sender, each, whole * asked.rate / SECOND, size)


def _transport_ns(asked: AtRate) -> float:
    """Return the time of all processes of the transport for a message."""
    over = asked.carrying
    if not over:
        return 0.0
    return float(over.sender_ns + asked.subscribers * over.subscriber_ns + over.server_ns)


def _rate_note(carrying: Carrying | None, subscribers: int) -> str:
    note = (
        "CPU time per second, and bytes delivered per second. sender: fill and encode; "
        "subscriber: decode and read, each of them; destroying is half of either. Computed from "
        "the totals above, divided between both as the stages are."
    )
    if not carrying:
        return (
            f"{note} The transport of the messages is not included; --over measures it for one "
            "middleware."
        )
    lost = 1 - carrying.received
    note += (
        f" {carrying.over} ({carrying.library}): CPU time of the processes at both ends and "
        f"between them, which sent {carrying.messages:,} of these messages at this rate to "
        f"{subscribers} of their own, by wirecost's adapters in Python; a program in C++ takes "
        "less. A network, and what else the programs do, are not included."
    )
    return note + (f" {units.percent(lost)} of the messages did not arrive." if lost else "")


def share_of_core(value: float) -> str:
    percent = 100 * value
    text = f"{percent:.3f}" if percent < 0.1 else units.significant(percent)
    return Amount(f"{text} %", value)
