# SPDX-License-Identifier: Apache-2.0
"""What would make a message cheaper, and who has to change for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from wirecost.analysis.message_doubts import Key
from wirecost.analysis.summary import Row
from wirecost.report.scenarios.message.adoption import adoption
from wirecost.report.scenarios.message.wires import wire_named, wire_of
from wirecost.report.shared import units
from wirecost.report.shared.races import LANGUAGES
from wirecost.report.shared.table import Table

SAME = "same bytes"
MANY_FIELDS = "Fields to change"
ALL_PEERS = "all peers must change"
FASTER = "faster"
MOST_OF_BASELINE = 0.95
"""Of the baseline's total, for another library or mode to be worth a change."""
COLUMNS = "wirecost-columns"


def languages_asked(meta: dict[str, Any]) -> tuple[str, ...]:
    """Whose contenders ran or were missing, in the order of ``LANGUAGES``."""
    named = {name.partition(" ")[0] for name in (*meta["contenders"], *meta.get("not_run", {}))}
    return tuple(one for one in LANGUAGES if one in named)


def changes(
    meta: dict[str, Any],
    rows: list[Row],
    doubted: Collection[Key],
    ends: Mapping[Key, tuple[float, float]],
) -> Table | None:
    """Other code for the same bytes, then other wires, then other messages; of each, what saves
    most on top. ``doubted``: contenders from which no factor follows; those are listed where
    ``ends``, the least and the greatest median of a process, do not overlap."""
    totals = [row for row in rows if row.stage == "total" and row.ratio is not None]
    quicker = [row for row in totals if _speed(row, doubted, ends)]
    asked = languages_asked(meta)
    measured_in = _languages_by_wire(meta, totals)
    placed = []
    for row in quicker:
        wire = wire_of(meta, row)
        is_same = row.ratio is not None and wire == wire_named(meta, row.lang, row.ratio.to)
        lacking = [LANGUAGES[one] for one in asked if one not in measured_in.get(wire, set())]
        whom = SAME if is_same else ALL_PEERS
        if lacking and not is_same:
            whom += f"; not measured in {', '.join(lacking)}"
        placed.append((not is_same, asked.index(row.lang), row, whom))
    placed.sort(key=lambda one: (one[0], one[1], one[2].ratio.median if one[2].ratio else 0.0))
    body = [
        [
            f"{LANGUAGES.get(row.lang, row.lang)}: {row.name}",
            whom,
            _speed(row, doubted, ends),
            units.size(row.bytes),
            "measured",
        ]
        for _, _, row, whom in placed
        if row.ratio is not None
    ]
    body += [
        [
            change["what"],
            ALL_PEERS,
            _added_time(change, [row for row in totals if not _in_doubt(row, doubted)]),
            units.size(round(change["bytes"])),
            change["how"],
        ]
        for change in meta["changes"]
    ]
    if not body:
        return None
    bases = {row.lang: row.ratio.to for row in quicker if row.ratio is not None}
    note = "".join(f"{LANGUAGES.get(one, one)}: instead of {to}. " for one, to in bases.items())
    note += _legend(meta, {row[2] for row in body})
    notes = [note]
    if quicker:
        notes.append(adoption(meta, [row for _, _, row, _ in placed]))
    if many_fields(meta) is not None:
        notes.append(f"… more: all are in report.html, table {MANY_FIELDS}, and in meta.json.")
    headings = ["change", "who", "time", "bytes", "how"]
    return Table("What to change", headings, body, notes, bars=("bytes",))


def many_fields(meta: dict[str, Any]) -> Table | None:
    """The fields of the changes that name only the first of theirs."""
    cut = [change for change in meta["changes"] if "more" in change["what"].split()]
    body = [[change["what"], path] for change in cut for path in change.get("fields", ())]
    return Table(MANY_FIELDS, ["change", "field"], body, []) if body else None


def _added_time(change: Mapping[str, Any], totals: Iterable[Row]) -> str:
    """Of columns, what the C++ program with rows takes with them; ``totals``: without doubt."""
    if change["ns"] is not None:
        return f"{units.time(change['ns'])} more"
    tried = [row for row in totals if row.contender == COLUMNS and row.ratio is not None]
    if not tried or not change["what"].startswith("columns for"):
        return "–"
    best = min(row.ratio.median for row in tried if row.ratio is not None)
    return f"{units.speed(best)} in C++"


def _speed(row: Row, doubted: Collection[Key], ends: Mapping[Key, tuple[float, float]]) -> str:
    """Beside the baseline; empty where it is not faster."""
    if row.ratio is None or row.ratio.ci95[1] >= 1:
        return ""
    mine, baseline = (row.lang, row.name), (row.lang, row.ratio.to)
    if not _in_doubt(row, doubted):
        if row.ratio.median > MOST_OF_BASELINE:
            return ""
        return units.speed(row.ratio.median)
    is_always = row.processes > 1 and ends[mine][1] < ends[baseline][0]
    return FASTER if is_always else ""


def _in_doubt(row: Row, doubted: Collection[Key]) -> bool:
    """Whether no factor follows from it and its baseline."""
    of = [row.name] if row.ratio is None else [row.name, row.ratio.to]
    return any((row.lang, name) in doubted for name in of)


def _languages_by_wire(meta: dict[str, Any], totals: list[Row]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in totals:
        found.setdefault(wire_of(meta, row), set()).add(row.lang)
    return found


def _legend(meta: dict[str, Any], times: Collection[str]) -> str:
    parts = [
        f"{SAME}: another library or mode, for one program at a time; {ALL_PEERS}: other bytes, to "
        "which sender and receivers have to change together."
    ]
    if FASTER in times:
        parts.append(
            f"{FASTER}: the slowest process took less than the baseline's fastest; by what factor "
            "cannot be told, as the notes above say."
        )
    if any(time.endswith("in C++") for time in times):
        parts.append(
            f"in C++: {COLUMNS}, with all these lists in columns with every bit kept, and both "
            "conversions from and to rows."
        )
    if meta["changes"]:
        parts.append(
            "time: of all stages of a message, or what compressing and decompressing it takes "
            "besides, by Python's packages of the libraries in C; –: not measured. estimated: by "
            "what the fields hold, without the changed schema."
        )
    return " ".join(parts)
