# SPDX-License-Identifier: Apache-2.0
"""What would make a message cheaper, and who has to change for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from wirecost.analysis.message_doubts import Key
from wirecost.analysis.summary import Row
from wirecost.report.shared import units
from wirecost.report.shared.races import LANGUAGES
from wirecost.report.shared.table import Table

SAME = "same bytes"
ALL_PEERS = "all peers must change"
FASTER = "faster"


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
        is_same = row.ratio is not None and wire == _wire(meta, row.lang, row.ratio.to)
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
            "–" if change["ns"] is None else f"{units.time(change['ns'])} more",
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
    headings = ["change", "who", "time", "bytes", "how"]
    return Table("What to change", headings, body, [note], bars=("bytes",))


def _speed(row: Row, doubted: Collection[Key], ends: Mapping[Key, tuple[float, float]]) -> str:
    """Beside the baseline; empty where it is not faster."""
    if row.ratio is None or row.ratio.ci95[1] >= 1:
        return ""
    mine, baseline = (row.lang, row.name), (row.lang, row.ratio.to)
    if mine not in doubted and baseline not in doubted:
        return units.speed(row.ratio.median)
    is_always = row.processes > 1 and ends[mine][1] < ends[baseline][0]
    return FASTER if is_always else ""


def wire_of(meta: dict[str, Any], row: Row) -> str:
    """On which a contender sends."""
    return _wire(meta, row.lang, row.name)


def _wire(meta: dict[str, Any], lang: str, name: str) -> str:
    about = meta["contenders"].get(f"{lang} {name}", {})
    return str(about.get("wire", ""))


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
    if meta["changes"]:
        parts.append(
            "time: of all stages of a message, or what compressing and decompressing it takes "
            "besides, by Python's packages of the libraries in C; –: not measured. estimated: by "
            "what the fields hold, without the changed schema."
        )
    return " ".join(parts)
