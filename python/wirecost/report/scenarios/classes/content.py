# SPDX-License-Identifier: Apache-2.0
"""The classes benchmark: each operation against the size of the message, and the memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wirecost.analysis.race import Ratio
from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content, built_with
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    FEWEST,
    baseline,
    races,
    samples_taken,
    stages_table,
)
from wirecost.report.shared.table import Table

TITLE = "OSI's GroundTruth in protoc's C++ classes and in ours"
OPERATIONS = {
    "build": "a new object, filled, destroyed",
    "rebuild": "the same object, cleared, filled again",
    "encode": "into a buffer used again",
    "parse": "into a new object, destroyed",
    "reparse": "into the object that was parsed into before",
    "total": "build with encode, then parse",
}
OURS, THEIRS = "wirecost", "protobuf"
NAMED = {"build": "building", "rebuild": "building again", "encode": "encoding",
         "parse": "parsing", "reparse": "parsing again"}  # fmt: skip


def content(results: Results, rows: list[Row]) -> Content:
    variants = list(dict.fromkeys(row.variant for row in rows))
    of_variant = {name: [row for row in rows if row.variant == name] for name in variants}
    return Content(
        TITLE,
        " ".join(filter(None, map(_lead, of_variant.values()))) or None,
        [
            table
            for name, mine in of_variant.items()
            for table in (_times(name, mine), _memory(name, mine))
        ],
        [_contenders(results.meta), *(stages_table(rows, race) for race in races(rows))],
        f"Every program: {built_with(results.meta['environment'])}.",
    )


def _times(variant: str, rows: list[Row]) -> Table:
    """Operations of all contenders, by the number of objects."""
    counts = _counts(rows)
    cells = {(r.stage, r.name, r.facts["objects"]): units.time(r.median_ns) + f" {_ratio(r)}"
             for r in rows}  # fmt: skip
    names = list(dict.fromkeys(row.name for row in rows))
    body = []
    for stage in OPERATIONS:
        body.append([stage, *("" for _ in counts)])
        for name in names:
            body.append([f"  {name}", *(cells.get((stage, name, n), "–") for n in counts)])
    to = baseline(rows, rows[0].race)
    notes = [
        f"Medians of {samples_taken(rows[0], 'samples')}; in each round every contender has a new "
        f"process. Beside each time its ratio to {to}, ≈ where the 95 % interval holds 1. "
        + "; ".join(f"{stage}: {what}" for stage, what in OPERATIONS.items())
        + "."
    ]
    return _by_size(f"{variant} · time per operation, by objects", counts, body, notes)


def _memory(variant: str, rows: list[Row]) -> Table:
    """What one message holds, and what stays when it is gone."""
    counts = _counts(rows)
    once = [row for row in rows if row.stage == "total" and row.facts["memory_bytes"] is not None]
    found = {(row.name, row.facts["objects"]): row.facts for row in once}
    names = list(dict.fromkeys(row.name for row in once))
    to = baseline(rows, rows[0].race)

    def held(name: str, count: int) -> str:
        mine, theirs = found.get((name, count)), found.get((to, count))
        if mine is None:
            return "–"
        size = units.size(mine["memory_bytes"])
        if name == to:
            return size + " 1"
        if theirs is None or not theirs["memory_bytes"]:
            return size
        return size + f" {units.significant(mine['memory_bytes'] / theirs['memory_bytes'])}"

    def kept(name: str, count: int) -> str:
        mine = found.get((name, count))
        return "–" if mine is None else units.size(max(mine["kept_bytes"] or 0, 0))

    body = []
    for title, cell in (("of a message", held), ("after it", kept)):
        body.append([title, *("" for _ in counts)])
        body += [[f"  {name}", *(cell(name, count) for count in counts)] for name in names]
    notes = [
        "What glibc's malloc gave for one message, its own headers included, and the ratio to "
        f"{to}; after it: what of that stays when the message is destroyed, as an arena's blocks "
        "do. Of a second message in a process of its own: an arena has its size after the first."
    ]
    return _by_size(f"{variant} · memory of a message, by objects", counts, body, notes)


def _by_size(title: str, counts: list[int], body: list[list[str]], notes: list[str]) -> Table:
    """Sizes in the middle go first where a terminal is narrow."""
    headings = [f"{count:,}" for count in counts]
    optional, bars = tuple(headings[1:-1]), tuple(headings)
    return Table(title, ["contender", *headings], body, notes, optional, bars)


def _counts(rows: Iterable[Row]) -> list[int]:
    return sorted({int(row.facts["objects"] or 0) for row in rows})


def _ratio(row: Row) -> str:
    if row.ratio is None:
        return "–"
    if row.ratio.to == row.name:
        return "1"
    return units.significant(row.ratio.median) if _differs(row.ratio, row) else "≈"


def _differs(ratio: Ratio, row: Row) -> bool:
    """Whether a ratio's interval leaves out 1; true where there are too few samples for one."""
    low, high = ratio.ci95
    return row.repetitions < FEWEST or not low <= 1 <= high


def _contenders(meta: dict[str, Any]) -> Table:
    body = [[name, about["library"]] for name, about in meta["contenders"].items()]
    notes = [
        "fresh: new objects, memory from malloc; arena: on an arena that is reset, its first block "
        "holds a message and more."
    ]
    return Table("Contenders", ["contender", "library"], body, notes)


def _lead(rows: list[Row]) -> str | None:
    """Our new objects against protoc's: what is gained, what is lost, at the sizes that differ."""
    ours = [row for row in rows if row.contender == OURS and row.ratio]
    ours = [row for row in ours if row.mode == ours[0].mode]
    counts = _counts(ours)
    if not ours or not any(row.contender == THEIRS for row in rows):
        return None
    found = [
        (words, row.ratio.median)
        for stage, words in NAMED.items()
        for row in ours
        if row.stage == stage and row.ratio and _differs(row.ratio, row)
    ]
    said = [
        f"{title} in {', '.join(parts)}"
        for title, those in (
            ("quicker", [(words, ratio) for words, ratio in found if ratio < 1]),
            ("slower", [(words, ratio) for words, ratio in found if ratio >= 1]),
        )
        if (parts := _by_operation(those))
    ]
    objects = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    return (
        f"{rows[0].variant}, {objects} objects, ratio of times to {baseline(rows, rows[0].race)}: "
        f"our classes are {'; '.join(said) or 'no different'}{_beside_best(ours)}."
    )


def _by_operation(found: list[tuple[str, float]]) -> list[str]:
    return [
        f"{words} ({_range([ratio for name, ratio in found if name == words])})"
        for words in dict.fromkeys(name for name, _ in found)
    ]


def _beside_best(ours: list[Row]) -> str:
    best = [(r, r.ratio_best) for r in ours if r.stage == "total" and r.ratio_best]
    found = [ratio.median for row, ratio in best if _differs(ratio, row)]
    if not best:
        return ""
    if not found:
        return "; in total no different from Protobuf's quickest mode"
    where = "" if len(found) == len(best) else " at some sizes, no different at others"
    return f"; in total {_range(found)} of the time of Protobuf's quickest mode{where}"


def _range(ratios: list[float]) -> str:
    low, high = units.significant(min(ratios)), units.significant(max(ratios))
    return low if low == high else f"{low}–{high}"
