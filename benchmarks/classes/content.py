# SPDX-License-Identifier: Apache-2.0
"""The classes benchmark: each operation against the size of the message, and the memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.common import Meta
from wirecost.results.report.scenarios import ScenarioContent, built_with, joined
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import (
    FEWEST,
    baseline,
    contenders_table,
    races,
    samples_taken,
    stages_table,
)
from wirecost.results.report.shared.table import Table

from .schema import ClassesRun

TITLE = "OSI's GroundTruth in protoc's C++ classes and in ours"
OPERATIONS = {
    "build": "a new object, filled, destroyed",
    "rebuild": "the same object, cleared, filled again",
    "encode": "into a buffer used again",
    "parse": "into a new object, destroyed",
    "reparse": "into the object that was parsed into before",
    "total": "build with encode, then parse",
}
OURS, THEIRS, ARENA = "wirecost", "protobuf", "arena"
NAMED = {"build": "building", "rebuild": "building again", "encode": "encoding",
         "parse": "parsing", "reparse": "parsing again"}  # fmt: skip


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta = results.meta_as(Meta)
    variants = dict.fromkeys(row.variant for row in rows)
    of_variant = {name: [row for row in rows if row.variant == name] for name in variants}
    about = contenders_table(
        meta.contenders,
        {"library": lambda contender: contender.library},
        [
            "fresh: new objects, memory from malloc; arena: on an arena that is reset, its first "
            "block holds a message and more."
        ],
    )
    return ScenarioContent(
        TITLE,
        joined(*map(_lead, of_variant.values())),
        [
            table
            for name, of in of_variant.items()
            for table in (_times(name, of), _memory(name, of))
        ],
        [about, *(stages_table(rows, race) for race in races(rows))],
        f"Every program: {built_with(meta.environment)}.",
    )


def _times(variant: str, rows: list[Row]) -> Table:
    """Return operations of all contenders, by the number of objects."""
    cells = {
        (row.stage, row.name, row.run_as(ClassesRun).objects): units.time(row.median_ns)
        + _ratio(row)
        for row in rows
    }
    names = list(dict.fromkeys(row.name for row in rows))
    groups = {
        stage: {name: {n: cells.get((stage, name, n)) for n in _counts(rows)} for name in names}
        for stage in OPERATIONS
    }
    notes = [
        f"Medians of {samples_taken(rows[0], 'samples')}; in each round every contender has a new "
        f"process. Beside each time its ratio to {baseline(rows, rows[0].race)}, ≈ where the 95 % "
        "interval holds 1. "
        + "; ".join(f"{stage}: {what}" for stage, what in OPERATIONS.items())
        + "."
    ]
    return _by_size(f"{variant} · time per operation, by objects", _counts(rows), groups, notes)


def _memory(variant: str, rows: list[Row]) -> Table:
    """Return what one message holds, and what stays when it is gone."""
    runs: dict[str, dict[int, ClassesRun]] = {}
    for row in rows:
        run = row.run_as(ClassesRun)
        if row.stage == "total" and run.memory_bytes is not None:
            runs.setdefault(row.name, {})[run.objects] = run
    to = baseline(rows, rows[0].race)

    def held(name: str, run: ClassesRun) -> str:
        text = units.size(run.memory_bytes)
        if name == to:
            return text + " 1"
        other = runs.get(to, {}).get(run.objects)
        if other is None or not other.memory_bytes or run.memory_bytes is None:
            return text
        return text + f" {units.significant(run.memory_bytes / other.memory_bytes)}"

    groups: Groups = {
        "of a message": {
            name: {n: held(name, run) for n, run in of.items()} for name, of in runs.items()
        },
        "after it": {
            name: {n: units.size(max(run.kept_bytes or 0, 0)) for n, run in of.items()}
            for name, of in runs.items()
        },
    }
    notes = [
        "What glibc's malloc gave for one message, its own headers included, and the ratio to "
        f"{to}; after it: what of that stays when the message is destroyed, as an arena's blocks "
        "do. Of a second message in a process of its own: an arena has its size after the first."
    ]
    return _by_size(f"{variant} · memory of a message, by objects", _counts(rows), groups, notes)


Groups = Mapping[str, Mapping[str, Mapping[int, str | None]]]
"""Cells by a heading between the rows, contender and number of objects."""


def _by_size(title: str, counts: list[int], groups: Groups, notes: list[str]) -> Table:
    headings = [f"{count:,}" for count in counts]
    body: list[list[str]] = []
    for heading, of in groups.items():
        body.append([heading, *("" for _ in counts)])
        body += [
            [f"  {n}", *(cells.get(c) or units.NONE for c in counts)] for n, cells in of.items()
        ]
    # Sizes in the middle go first where a terminal is narrow.
    optional, bars = tuple(headings[1:-1]), tuple(headings)
    return Table(title, ["contender", *headings], body, notes, optional, bars)


def _counts(rows: Iterable[Row]) -> list[int]:
    return sorted({row.run_as(ClassesRun).objects for row in rows})


def _ratio(row: Row) -> str:
    if row.ratio is None:
        return f" {units.NONE}"
    if row.ratio.to == row.name:
        return " 1"
    return f" {units.significant(row.ratio.median)}" if _differs(row.ratio, row) else " ≈"


def _differs(ratio: Ratio, row: Row) -> bool:
    """Say whether a ratio's interval leaves out 1; true where samples are too few for one."""
    low, high = ratio.ci95
    return row.repetitions < FEWEST or not low <= 1 <= high


def _lead(rows: list[Row]) -> str | None:
    """Compare our new objects with protoc's: what is gained and lost, at the sizes that differ."""
    ours = [row for row in rows if row.contender == OURS and row.ratio]
    arena = [row for row in ours if row.mode == ARENA]
    ours = [row for row in ours if row.mode == ours[0].mode]
    if not ours or not any(row.contender == THEIRS for row in rows):
        return None
    operations: dict[str, list[str]] = {}
    for word, is_quicker in (("faster", True), ("slower", False)):
        for stage, name in NAMED.items():
            ratios = [
                row.ratio.median
                for row in ours
                if row.stage == stage and row.ratio and _differs(row.ratio, row)
                and (row.ratio.median < 1) == is_quicker
            ]  # fmt: skip
            if ratios:
                span = units.span(ratios, units.significant)
                operations.setdefault(word, []).append(f"{name} ({span})")
    parts = [f"{word} in {', '.join(texts)}" for word, texts in operations.items()]
    objects = units.span(_counts(ours), lambda count: f"{count:,}", " to ")
    return (
        f"{rows[0].variant}, {objects} objects, ratio of times to {baseline(rows, rows[0].race)}: "
        f"our classes are {'; '.join(parts) or 'no different'}{_beside_best(arena or ours)}."
    )


def _beside_best(ours: list[Row]) -> str:
    total = "in total on our arena" if ours[0].mode == ARENA else "in total"
    best = [(r, r.ratio_best) for r in ours if r.stage == "total" and r.ratio_best]
    ratios = [ratio.median for row, ratio in best if _differs(ratio, row)]
    if not best:
        return ""
    if not ratios:
        return f"; {total} no different from Protobuf's fastest mode"
    where = "" if len(ratios) == len(best) else " at some sizes, no different at others"
    span = units.span(ratios, units.significant)
    return f"; {total} {span} of the time of Protobuf's fastest mode{where}"
