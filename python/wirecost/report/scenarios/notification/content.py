# SPDX-License-Identifier: Apache-2.0
"""The notification benchmark: totals by size factor, stages, and the ticket's table beside ours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content, built_with
from wirecost.report.scenarios.notification.ticket import TICKET
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    LANGUAGES,
    Race,
    baseline,
    codecs_table,
    contenders,
    race_title,
    races,
    ratio_text,
    samples_taken,
    stage_winners,
)
from wirecost.report.shared.table import Amount, Table

TITLE = "A small notification: what its encoding costs"
STAGES = ("fill", "size", "encode", "decode", "read", "destroy")
NEW = (
    "new: all memory from malloc; recycled: new objects, small blocks from a free list of the "
    "codec's own."
)
FORMERLY = "new: wirecost and hand-written took small blocks from a free list of their own."
"""True of folders that do not say where malloc lay."""
MODES = (
    ("new", "new", "new objects"),
    ("recycled", "new", "new objects and a free list"),
    ("reused", "reused", "reused objects"),
)
"""Ours, Protobuf's beside it, and what they are."""


def content(results: Results, rows: list[Row]) -> Content:
    factors = {run["case"]: int(run["factor"]) for run in results.meta["runs"]}
    groups = dict.fromkeys((row.lang, row.variant) for row in rows)
    real = [row for row in rows if row.contender not in _floors(results.meta)]
    memory = _memory(results.meta)
    totals = [_totals(rows, real, lang, variant, factors, memory) for lang, variant in groups]
    allocator, plain = _under_first_allocator(rows)
    beside = _ticket(plain, allocator)
    counted = "malloc and its like" if memory is NEW else "operator new"
    stages = [_stages(rows, real, race, counted) for race in races(rows)]
    return Content(
        TITLE,
        _lead(plain),
        [*totals, *_by_allocator(rows), *([beside] if beside else [])],
        [_contenders(results.meta), *stages],
        _built(results.meta, {row.lang for row in rows}),
    )


def _built(meta: dict[str, Any], languages: set[str]) -> str:
    if "cpp" not in languages:
        return ""
    return f"Every C++ contender: {built_with(meta['environment'])}."


def _floors(meta: dict[str, Any]) -> set[str]:
    """Yardsticks: they win nothing."""
    guarantees = {name: about["guarantees"] for name, about in meta["contenders"].items()}
    # They are named ``language contender mode``.
    floors = [name.split(" ") for name, kind in guarantees.items() if "floor" in kind]
    return {words[1] for words in floors if len(words) > 1}


def _contenders(meta: dict[str, Any]) -> Table:
    return codecs_table(
        meta,
        "it points into the buffer; validating: every length is checked; by reference: filled "
        "without copying bytes.",
    )


def _memory(meta: dict[str, Any]) -> str:
    """Where new objects of C++ got their memory."""
    return NEW if any(run.get("malloc") for run in meta["runs"]) else FORMERLY


def _under_first_allocator(rows: list[Row]) -> tuple[str, list[Row]]:
    """The first allocator that was asked for, if any, and the rows under it with modes alone."""
    found = {row.mode.partition(" ")[2]: None for row in rows if row.lang == "cpp"}
    name = next(iter(found), "")
    parted = [(row, *row.mode.partition(" ")) for row in rows]
    return name, [replace(row, mode=mode) for row, mode, _, under in parted if under == name]


def _totals(
    rows: list[Row],
    real: list[Row],
    lang: str,
    variant: str,
    factors: dict[str, int],
    memory: str,
) -> Table:
    """Total time per message against the size factor; ``real``: who can win; ``memory``: where new
    objects of C++ got theirs."""
    totals = [r for r in rows if (r.lang, r.variant, r.stage) == (lang, variant, "total")]
    able = [r for r in real if (r.lang, r.variant, r.stage) == (lang, variant, "total")]
    cases = sorted({row.case for row in totals}, key=lambda case: factors[case])
    quickest = {
        row.case: row.name for row in sorted(able, key=lambda row: row.median_ns, reverse=True)
    }
    modes = {row.mode for row in totals}
    body = []
    for name in dict.fromkeys(row.name for row in totals):
        mine = {row.case: row for row in totals if row.name == name}
        shown = name if len(modes) > 1 else name.rpartition(" ")[0]
        body.append([shown, *(_time(mine.get(case), quickest.get(case)) for case in cases)])
    title = f"{LANGUAGES.get(lang, lang)} · {variant} · total time per message, by size factor"
    title += f" · {modes.pop()} objects" if len(modes) == 1 else ""
    notes = [
        f"Medians of {samples_taken(totals[0], 'samples')}, contenders in turns: fill, size, "
        "encode, decode, read all, destroy; * the quickest, without the floors hand-written and "
        "memcpy." + (f" {memory}" if lang == "cpp" else "")
    ]
    sizes = [str(factors[case]) for case in cases]
    return Table(title, ["contender", *sizes], body, notes, bars=tuple(sizes))


def _by_allocator(rows: list[Row]) -> list[Table]:
    """Totals of C++ under each allocator, where there were several: a table for each case."""
    totals = [row for row in rows if (row.lang, row.stage) == ("cpp", "total")]
    allocators = list(dict.fromkeys(row.mode.partition(" ")[2] for row in totals))
    return [
        _under_each(totals, case, allocators)
        for case in dict.fromkeys(r.case for r in totals)
        if len(allocators) > 1
    ]


def _under_each(totals: list[Row], case: str, allocators: list[str]) -> Table:
    found: dict[str, dict[str, Row]] = {}
    for row in totals:
        mode, _, allocator = row.mode.partition(" ")
        if row.case == case:
            found.setdefault(f"{row.contender} {mode}", {})[allocator] = row
    body = []
    for name, mine in found.items():
        quickest = min(mine.values(), key=lambda row: row.median_ns).name
        body.append([name, *(_time(mine.get(one), quickest) for one in allocators)])
    notes = [
        f"Medians of {samples_taken(totals[0], 'samples')}, total time per message; * the "
        "allocator under which a contender is quickest."
    ]
    title = f"C++ · {case} · by allocator"
    return Table(title, ["contender", *allocators], body, notes, bars=(tuple(allocators),))


def _time(row: Row | None, quickest: str | None) -> str:
    if row is None:
        return "–"
    return units.time(row.median_ns) + ("*" if row.name == quickest else "")


def _count(found: float | None, form: str) -> str:
    return "–" if found is None else Amount(format(found, form), found)


def _stages(rows: list[Row], real: list[Row], race: Race, counted: str) -> Table:
    """Stages, both ratios, and what was counted, of every contender of a race. ``counted``: as an
    allocation."""
    winners = stage_winners(real, race)
    body = []
    for name, stages in contenders(rows, race):
        total = stages["total"]
        cells = [_time(stages.get(stage), winners.get(stage)) for stage in (*STAGES, "total")]
        stage_sum = sum(row.median_ns for stage, row in stages.items() if stage in STAGES)
        body.append(
            [
                name,
                *cells,
                units.time(stage_sum),
                ratio_text(total, total.ratio),
                ratio_text(total, total.ratio_best),
                _time(stages.get("move"), winners.get("move")),
                _count(total.facts["allocations"], ".3g"),
                _count(total.facts["instructions"], ".0f"),
                Amount(str(total.bytes), total.bytes),
            ]
        )
    best = next((r.ratio_best.to for r in rows if r.race == race and r.ratio_best), "")
    headings = ["contender", *STAGES, "total", "sum", f"× {baseline(rows, race)}", f"× {best}"]
    headings += ["move", "allocations", "instructions", "bytes"]
    notes = [
        "total: all stages of each message in a row, without clocks in between; sum: of the "
        "stages, each over the whole batch. move: over a loopback socket, outside the total. "
        f"× = ratio of totals with its 95 % interval; allocations ({counted}) and instructions "
        "(callgrind) per message."
    ]
    bars = ((*STAGES, "total"), "allocations", "instructions", "bytes")
    return Table(race_title(race), headings, body, notes, bars=bars)


def _ticket(rows: list[Row], allocator: str) -> Table | None:
    """The ticket's sizes and times beside this machine's, where all ran under one allocator."""
    ours = {
        (row.case, row.name): row
        for row in rows
        if (row.lang, row.variant, row.stage) == ("cpp", "ticket", "total")
    }
    body = []
    for published in TICKET:
        here = [
            ours.get((f"ticket, size factor {published.factor}", f"{name} new"))
            for name in ("protobuf", "gencpp", "wirecost-ros1")
        ]
        google, gencpp, ros = here
        if google is None or ros is None:
            continue
        times = [_nanoseconds(row.median_ns) if row else "–" for row in here]
        quicker = [
            f"{google.median_ns / row.median_ns:.2f}"
            for row in (gencpp, ros)
            if row is not None and row.median_ns
        ]
        body.append(
            [
                str(published.factor),
                _bytes(published.protobuf_bytes, google),
                _bytes(published.ros_bytes, ros),
                _nanoseconds(published.protobuf_s * 1000),
                times[0],
                _nanoseconds(published.ros_s * 1000),
                *times[1:],
                f"{published.protobuf_s / published.ros_s:.2f} → {', '.join(quicker)}",
            ]
        )
    if not body:
        return None
    headings = ["factor", "PB B", "ROS B", "PB ticket", "PB here", "ROS ticket"]
    headings += ["gencpp", "wirecost", "PB : ROS"]
    notes = [
        "Bytes of a message, and time of a round trip with new objects. PB Protobuf; gencpp ROS "
        "1's own classes, wirecost generated code of the same wire, ros1; PB : ROS = ratio of "
        "times, ticket → here with gencpp, with wirecost. The ticket read no field."
        + (f" Here under {allocator}." if allocator else "")
    ]
    timed = ("PB ticket", "PB here", "ROS ticket", "gencpp", "wirecost")
    return Table("The ticket's table and this machine", headings, body, notes, bars=(timed,))


def _nanoseconds(ns: float) -> str:
    return Amount(f"{ns:.0f} ns", ns)


def _bytes(published: int, row: Row) -> str:
    return str(row.bytes) if row.bytes == published else f"{published} → {row.bytes}"


def _lead(rows: list[Row]) -> str | None:
    """How much a generated codec saves, over all sizes measured."""
    pairs = []
    for wire in ("ros1", "protobuf"):
        for mode, theirs, objects in MODES:
            found = [
                _times(rows, row, f"protobuf {theirs}") / row.median_ns
                for row in rows
                if (row.lang, row.stage, row.name) == ("cpp", "total", f"wirecost-{wire} {mode}")
                and row.median_ns
                and _times(rows, row, f"protobuf {theirs}")
            ]
            if found:
                low, high = min(found), max(found)
                span = f"{low:.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f}–{high:.1f}"
                pairs.append(f"{span} times with {objects} ({wire} wire)")
    if not pairs:
        return None
    text = f"In C++ the generated codec is quicker than Google Protobuf: {', '.join(pairs)}."
    return text + _beside_the_socket(rows)


def _beside_the_socket(rows: list[Row]) -> str:
    """What the codec's cost means where messages cross a socket one by one."""
    moves = {row.race: row for row in rows if (row.stage, row.name) == ("move", "protobuf new")}
    totals = [r for r in rows if r.race in moves and (r.stage, r.name) == ("total", "protobuf new")]
    if not totals:
        return ""
    whole = [(r.median_ns, r.median_ns + moves[r.race].median_ns) for r in totals]
    share = [100 * coded / sent for coded, sent in whole if sent]
    if not share:
        return ""
    low, high = f"{min(share):.0f}", f"{max(share):.0f}"
    span = low if low == high else f"{low}–{high}"
    return (
        f" A message sent alone over a loopback socket spends {span} % of its time in Protobuf "
        "with new objects and the rest in the socket: for such messages, write many at once or "
        "use shared memory before you change the codec."
    )


def _times(rows: list[Row], like: Row, name: str) -> float:
    """Total of another contender of the same race; 0 if it did not run."""
    return next(
        (r.median_ns for r in rows if (r.race, r.stage, r.name) == (like.race, "total", name)), 0.0
    )
