# SPDX-License-Identifier: Apache-2.0
"""The lists benchmark: times, sizes and what zstd makes of them, a table for each list."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content, built_with
from wirecost.report.scenarios.lists.matrix import matrix
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    Race,
    baseline,
    codecs_table,
    contenders,
    races,
    ratio_text,
    samples_taken,
    stages_table,
)
from wirecost.report.shared.table import Amount, Table

TITLE = "Lists of sensor data: what each encoding costs"

LEAST_IN_LEAD = 1000
"""Elements: shorter lists say what a message costs, not what its elements do."""


def content(results: Results, rows: list[Row]) -> Content:
    shown = races(rows)
    each = [_table(rows, race, results.meta["zstd_level"]) for race in shown]
    found = matrix(rows) if len(shown) > 1 else None
    return Content(
        TITLE,
        _lead(rows),
        each if found is None else [found],
        [
            _contenders(results.meta),
            _errors(results.meta),
            *(stages_table(rows, race) for race in shown),
        ],
        f"Every contender: {built_with(results.meta['environment'])}.",
        [] if found is None else each,
    )


def _table(rows: list[Row], race: Race, level: int) -> Table:
    """A list's contenders; the floors have no wire and so no size."""
    case = race[0]
    usual = next((r.bytes for r in rows if r.race == race and r.contender == "protobuf"), 0)
    body = []
    for name, stages in contenders(rows, race):
        total = stages["total"]
        elements, allocations = total.facts["elements"] or 1, total.facts["allocations"]
        body.append(
            [
                name,
                units.time(stages["encode"].median_ns),
                units.time(stages["decode"].median_ns),
                units.time(total.median_ns),
                ratio_text(total, total.ratio),
                ratio_text(total, total.ratio_best),
                units.time(total.median_ns / elements),
                *_sizes(total.bytes, total.facts["compressed_bytes"] or 0, elements, usual),
                "–" if allocations is None else Amount(f"{allocations:.0f}", allocations),
            ]
        )
    to = baseline(rows, race)
    best = next((r.ratio_best.to for r in rows if r.race == race and r.ratio_best), "")
    headings = ["contender", "encode", "decode", "total", f"× {to}", f"× {best}", "per element"]
    headings += ["B/element", "%", "zstd", "allocations"]
    taken = samples_taken(next(row for row in rows if row.race == race), "samples")
    notes = [
        f"Medians of {taken}, contenders in turns; ×: ratio of totals with its 95 % interval. "
        "encode: from plain structs into a reused buffer; decode: every field of every element is "
        "read. %: bytes in percent of Protobuf's. zstd: bytes per element after compression at "
        f"level {level}; the times are without compression."
    ]
    optional = ("allocations", "per element", f"× {best}", "encode", "decode")
    bars = (("encode", "decode", "total"), ("B/element", "zstd"), "allocations")
    return Table(case, headings, body, notes, optional, bars)


def _sizes(size: int, compressed: int, elements: int, usual: int) -> list[str]:
    """Bytes per element, their share of Protobuf's, and bytes per element compressed."""
    if size == 0:
        return ["–", "–", "–"]
    share = f"{100 * size / usual:.0f}" if usual else "–"
    each, packed = size / elements, compressed / elements
    return [Amount(f"{each:.1f}", each), share, Amount(f"{packed:.1f}", packed)]


def _contenders(meta: dict[str, Any]) -> Table:
    return codecs_table(
        meta,
        "it is read in the buffer; validating: every length is checked; a floor is no wire: only "
        "the same program can read it",
    )


def _errors(meta: dict[str, Any]) -> Table:
    """What columns-reduced may lose; everything else it keeps bit for bit."""
    body = [
        [f"{name} {field}", f"{error:.3g}"]
        for name, errors in meta["errors"].items()
        for field, error in errors.items()
    ]
    notes = ["In the schema's units; every value was compared before anything was timed."]
    return Table("Largest errors of columns-reduced", ["field", "error"], body, notes)


def _lead(rows: list[Row]) -> str | None:
    """How far columns and Protobuf lie apart, over all cases."""
    parts = []
    for name in ("columns view", "columns-reduced view"):
        pairs = [
            (row, other)
            for row in rows
            if (row.stage, row.name) == ("total", name)
            and (row.facts["elements"] or 0) >= LEAST_IN_LEAD
            for other in rows
            if (other.race, other.stage, other.name) == (row.race, "total", "protobuf reused")
            and row.median_ns
            and other.bytes
        ]
        if not pairs:
            continue
        quicker = [other.median_ns / row.median_ns for row, other in pairs]
        sizes = [100 * row.bytes / other.bytes for row, other in pairs]
        parts.append(
            f"{name.removesuffix(' view')} takes {_span(sizes, '.0f')} % of the bytes and is "
            f"{_span(quicker, '.1f')} times as quick"
        )
    if not parts:
        return None
    return (
        f"Compared with Google Protobuf with reused messages, in lists of {LEAST_IN_LEAD:,} "
        f"elements or more: {'; '.join(parts)}."
    )


def _span(values: list[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low}–{high}"
