# SPDX-License-Identifier: Apache-2.0
"""The notification benchmark: totals by size factor, stages, and the ticket's table beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent, built_with
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import (
    LANGUAGES,
    NAME,
    Contender,
    Race,
    baseline,
    best_column,
    best_of,
    codecs_table,
    contenders,
    of_race,
    race_title,
    races,
    ratio_column,
    samples_taken,
    stage_column,
    stage_winners,
    total_column,
)
from wirecost.results.report.shared.table import Amount, Column, Table, named, present

from .schema import NotificationMeta, NotificationRun

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


@dataclass(frozen=True)
class TicketRow:
    """A row of the table of RSB ticket 997 (J. Moringen, 2012-06-14).

    It has the bytes of a message, and the seconds of a million round trips with new objects.
    """

    factor: int
    protobuf_bytes: int
    protobuf_s: float
    ros_bytes: int
    ros_s: float


TICKET = (
    TicketRow(4, 55, 1.953, 104, 1.154),
    TicketRow(8, 83, 2.005, 132, 1.129),
    TicketRow(16, 139, 2.047, 188, 1.216),
    TicketRow(32, 251, 2.476, 300, 1.211),
    TicketRow(64, 477, 2.401, 524, 1.281),
    TicketRow(128, 933, 2.519, 972, 1.497),
)


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta = results.meta_as(NotificationMeta)
    factors = {run.case: run.factor for run in meta.runs}
    groups = dict.fromkeys((row.lang, row.variant) for row in rows)
    real = [row for row in rows if row.contender not in _floors(meta)]
    memory = NEW if any(run.malloc for run in meta.runs) else FORMERLY
    allocator, plain = _under_first_allocator(rows)
    counted = "malloc and its like" if memory is NEW else "operator new"
    codecs = codecs_table(
        meta.contenders,
        "it points into the buffer; validating: every length is checked; by reference: filled "
        "without copying bytes.",
    )
    has_cpp = any(row.lang == "cpp" for row in rows)
    return ScenarioContent(
        TITLE,
        _lead(plain),
        present(
            *(_totals(rows, real, *group, factors, memory) for group in groups),
            *_by_allocator(rows),
            _ticket(plain, allocator),
        ),
        [codecs, *(_stages(rows, real, race, counted) for race in races(rows))],
        f"Every C++ contender: {built_with(meta.environment)}." if has_cpp else "",
    )


def _floors(meta: NotificationMeta) -> set[str]:
    """Return the yardsticks: they win nothing."""
    # They are named ``language contender mode``.
    floors = [name.split(" ") for name, of in meta.contenders.items() if "floor" in of.guarantees]
    return {words[1] for words in floors if len(words) > 1}


def _under_first_allocator(rows: list[Row]) -> tuple[str, list[Row]]:
    """Return the first allocator that was asked for, if any, and its rows, with modes alone."""
    allocators = [row.mode.partition(" ")[2] for row in rows if row.lang == "cpp"]
    first = next(iter(allocators), "")
    parted = [(row, *row.mode.partition(" ")) for row in rows]
    return first, [replace(row, mode=mode) for row, mode, _, under in parted if under == first]


def _totals(
    rows: list[Row],
    real: list[Row],
    lang: str,
    variant: str,
    factors: dict[str, int],
    memory: str,
) -> Table:
    """Return the total time per message by size factor.

    ``real``: who can win; ``memory``: where new objects of C++ got theirs.
    """

    def of_group(some: list[Row]) -> list[Row]:
        return [r for r in some if (r.lang, r.variant, r.stage) == (lang, variant, "total")]

    totals = of_group(rows)
    cases = sorted({row.case for row in totals}, key=lambda case: factors[case])
    slowest_first = sorted(of_group(real), key=lambda row: row.median_ns, reverse=True)
    quickest = {row.case: row.name for row in slowest_first}
    by_name = {(row.name, row.case): row for row in totals}
    modes = {row.mode for row in totals}
    has_modes = len(modes) > 1
    title = f"{LANGUAGES.get(lang, lang)} · {variant} · total time per message, by size factor"
    title += "" if has_modes else f" · {totals[0].mode} objects"
    notes = [
        f"Medians of {samples_taken(totals[0], 'samples')}, contenders in turns: fill, "
        + "size, " * any(row.stage == "size" for row in rows)
        + "encode, decode, read all, destroy; * the fastest, without the floors hand-written and "
        "memcpy." + (f" {memory}" if lang == "cpp" else "")
    ]
    names = dict.fromkeys(row.name for row in totals)
    sizes = [str(factors[case]) for case in cases]
    return Table.matrix(
        title,
        "contender",
        [(name if has_modes else name.rpartition(" ")[0], name) for name in names],
        zip(sizes, cases, strict=True),
        lambda name, case: _time(by_name.get((name, case)), quickest.get(case)),
        notes,
        bars=tuple(sizes),
    )


def _by_allocator(rows: list[Row]) -> list[Table]:
    """Return totals of C++ under each allocator, where there were several, case by case."""
    totals = [row for row in rows if (row.lang, row.stage) == ("cpp", "total")]
    allocators = list(dict.fromkeys(row.mode.partition(" ")[2] for row in totals))
    if len(allocators) < 2:
        return []
    notes = [
        f"Medians of {samples_taken(totals[0], 'samples')}, total time per message; * the "
        "allocator under which a contender is fastest."
    ]
    tables = []
    for case in dict.fromkeys(row.case for row in totals):
        under: dict[str, dict[str, Row]] = {}
        for row in totals:
            mode, _, allocator = row.mode.partition(" ")
            if row.case == case:
                under.setdefault(f"{row.contender} {mode}", {})[allocator] = row
        tables.append(
            Table.matrix(
                f"C++ · {case} · by allocator",
                "contender",
                under.items(),
                named(allocators),
                lambda of, name: _time(of.get(name), _quickest(of)),
                notes,
                bars=(tuple(allocators),),
            )
        )
    return tables


def _quickest(rows: Mapping[str, Row]) -> str:
    return min(rows.values(), key=lambda row: row.median_ns).name


def _time(row: Row | None, quickest: str | None) -> str:
    if row is None:
        return units.NONE
    return units.time(row.median_ns) + "*" * (row.name == quickest)


def _stages(rows: list[Row], real: list[Row], race: Race, counted: str) -> Table:
    """Return stages, both ratios, and what was counted, of every contender of a race.

    ``counted``: as an allocation.
    """
    winners = stage_winners(real, race)
    measured = {row.stage for row in rows}  # older folders also have size and move

    def stage_sum(contender: Contender) -> str:
        _, stages = contender
        return units.time(sum(stages[stage].median_ns for stage in STAGES if stage in stages))

    columns = [
        NAME,
        *(stage_column(stage, winners) for stage in (*STAGES, "total") if stage in measured),
        Column("sum", stage_sum),
        ratio_column(baseline(rows, race)),
        best_column(best_of(of_race(rows, race))),
        replace(stage_column("move", winners), bar=False, shown="move" in measured),
        total_column("allocations", lambda row: _amount(row, "allocations", ".3g"), bar=True),
        total_column("instructions", lambda row: _amount(row, "instructions", ".0f"), bar=True),
        total_column("bytes", lambda row: units.amount(row.bytes, ""), bar=True),
    ]
    notes = [
        "total: all stages of each message in a row, without clocks in between; sum: of the "
        "stages, each over the whole batch. "
        + "move: over a loopback socket, outside the total. "
        * ("move" in measured)
        + f"× = ratio of totals with its 95 % interval; allocations ({counted}) and instructions "
        "(callgrind) per message."
    ]
    return Table.of(race_title(race), contenders(rows, race), columns, notes)


def _amount(row: Row, what: str, form: str) -> str:
    return units.amount(getattr(row.run_as(NotificationRun), what), form)


def _ticket(rows: list[Row], allocator: str) -> Table | None:
    """Compare the ticket's sizes and times with this machine's, if all ran under one allocator."""
    ours = {
        (row.case, row.name): row
        for row in rows
        if (row.lang, row.variant, row.stage) == ("cpp", "ticket", "total")
    }

    def here(published: TicketRow, name: str) -> Row | None:
        return ours.get((f"ticket, size factor {published.factor}", f"{name} new"))

    compared = [
        _Compared(published, google, here(published, "gencpp"), ros)
        for published in TICKET
        if (google := here(published, "protobuf")) and (ros := here(published, "wirecost-ros1"))
    ]
    columns: list[Column[_Compared]] = [
        Column("factor", lambda row: str(row.published.factor)),
        Column("PB B", lambda row: _bytes(row.published.protobuf_bytes, row.google)),
        Column("ROS B", lambda row: _bytes(row.published.ros_bytes, row.ros)),
        Column("PB ticket", lambda row: _nanoseconds(row.published.protobuf_s * 1000), "times"),
        Column("PB here", lambda row: _nanoseconds(row.google.median_ns), "times"),
        Column("ROS ticket", lambda row: _nanoseconds(row.published.ros_s * 1000), "times"),
        Column(
            "gencpp",
            lambda row: _nanoseconds(row.gencpp.median_ns if row.gencpp else None),
            "times",
        ),
        Column("wirecost", lambda row: _nanoseconds(row.ros.median_ns), "times"),
        Column("PB : ROS", _quicker),
    ]
    notes = [
        "Bytes of a message, and time of a round trip with new objects. PB Protobuf; gencpp ROS "
        "1's own classes, wirecost generated code of the same wire, ros1; PB : ROS = ratio of "
        "times, ticket → here with gencpp, with wirecost. The ticket read no field."
        + (f" Here under {allocator}." if allocator else "")
    ]
    title = "The ticket's table and this machine"
    return Table.of(title, compared, columns, notes) if compared else None


@dataclass(frozen=True)
class _Compared:
    published: TicketRow
    google: Row
    gencpp: Row | None
    ros: Row


def _quicker(compared: _Compared) -> str:
    ratios = [
        f"{compared.google.median_ns / row.median_ns:.2f}"
        for row in (compared.gencpp, compared.ros)
        if row is not None and row.median_ns
    ]
    return f"{compared.published.protobuf_s / compared.published.ros_s:.2f} → {', '.join(ratios)}"


def _nanoseconds(ns: float | None) -> str:
    return units.NONE if ns is None else Amount(f"{ns:.0f} ns", ns)


def _bytes(published: int, row: Row) -> str:
    return str(row.bytes) if row.bytes == published else f"{published} → {row.bytes}"


def _lead(rows: list[Row]) -> str | None:
    """Say how much a generated codec saves, over all sizes measured."""
    pairs = []
    for wire in ("ros1", "protobuf"):
        for mode, mode_of_protobuf, objects in MODES:
            ratios = [
                total / row.median_ns
                for row in rows
                if (row.lang, row.stage, row.name) == ("cpp", "total", f"wirecost-{wire} {mode}")
                and row.median_ns
                and (total := _total(rows, row, f"protobuf {mode_of_protobuf}"))
            ]
            if ratios:
                span = units.span(ratios, "{:.1f}".format)
                pairs.append(f"{span} times with {objects} ({wire} wire)")
    if not pairs:
        return None
    text = f"In C++ the generated codec is faster than Google Protobuf: {', '.join(pairs)}."
    return text + _beside_the_socket(rows)


def _beside_the_socket(rows: list[Row]) -> str:
    """Say what the codec's cost means where messages cross a socket one by one."""
    moves = {row.race: row for row in rows if (row.stage, row.name) == ("move", "protobuf new")}
    totals = [r for r in rows if r.race in moves and (r.stage, r.name) == ("total", "protobuf new")]
    sums = [(r.median_ns, r.median_ns + moves[r.race].median_ns) for r in totals]
    shares = [100 * coded / whole for coded, whole in sums if whole]
    if not shares:
        return ""
    return (
        f" A message sent alone over a loopback socket spends "
        f"{units.span(shares, '{:.0f}'.format)} % of its time in Protobuf with new objects and the "
        "rest in the socket: for such messages, write many at once or use shared memory before you "
        "change the codec."
    )


def _total(rows: list[Row], like: Row, name: str) -> float:
    """Return the total of another contender of the same race; 0 if it did not run."""
    return next(
        (r.median_ns for r in rows if (r.race, r.stage, r.name) == (like.race, "total", name)), 0.0
    )
