# SPDX-License-Identifier: Apache-2.0
"""Report of bench repeated: times, sizes and what zstd makes of them, a table for each list."""

from __future__ import annotations

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.repeated import RepeatedMeta, RepeatedRun
from wirecost.results.report.scenarios import ScenarioContent, built_with
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import (
    NAME,
    Race,
    baseline,
    best_column,
    best_of,
    codecs_table,
    contenders,
    of_race,
    races,
    ratio_column,
    samples_taken,
    stage_column,
    stages_table,
    total_column,
)
from wirecost.results.report.shared.table import Table

TITLE = "Lists of sensor data: what each encoding costs"

LEAST_IN_LEAD = 1000
"""Elements: shorter lists say what a message costs, not what its elements do."""


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    all_races = races(rows)
    meta = results.meta_as(RepeatedMeta)
    each = [_table(rows, race, meta.zstd_level) for race in all_races]
    whole = matrix(rows) if len(all_races) > 1 else None
    codecs = codecs_table(
        meta.contenders,
        "it is read in the buffer; validating: every length is checked; a floor is no wire: only "
        "the same program can read it",
    )
    return ScenarioContent(
        TITLE,
        _lead(rows),
        each if whole is None else [whole],
        [codecs, _errors(meta), *(stages_table(rows, race) for race in all_races)],
        f"Every contender: {built_with(meta.environment)}.",
        [] if whole is None else each,
    )


def _table(rows: list[Row], race: Race, level: int) -> Table:
    """Return a list's contenders; the floors have no wire and so no size."""
    here = of_race(rows, race)
    usual = next((row.bytes for row in here if row.contender == "protobuf"), 0)

    def share(row: Row) -> str:
        return f"{100 * row.bytes / usual:.0f}" if usual and row.bytes else units.NONE

    columns = [
        NAME,
        stage_column("encode", optional=4),
        stage_column("decode", optional=5),
        stage_column("total"),
        ratio_column(baseline(rows, race)),
        best_column(best_of(here), optional=3),
        total_column("per element", lambda row: units.time(_each(row, row.median_ns)), optional=2),
        total_column("B/element", lambda row: _bytes(row, row.bytes), "bytes"),
        total_column("%", share),
        total_column(
            "zstd", lambda row: _bytes(row, row.run_as(RepeatedRun).compressed_bytes), "bytes"
        ),
        total_column(
            "allocations",
            lambda row: units.amount(row.run_as(RepeatedRun).allocations, ".0f"),
            bar=True,
            optional=1,
        ),
    ]
    notes = [
        f"Medians of {samples_taken(here[0], 'samples')}, contenders in turns; ×: ratio of totals "
        "with its 95 % interval. encode: from plain structs into a reused buffer; decode: every "
        "field of every element is read. %: bytes in percent of Protobuf's. zstd: bytes per "
        f"element after compression at level {level}; the times are without compression."
    ]
    return Table.of(race[0], contenders(rows, race), columns, notes)


def _each(row: Row, amount: float) -> float:
    """Divide among the elements."""
    return amount / (row.run_as(RepeatedRun).elements or 1)


def _bytes(row: Row, size: int) -> str:
    return units.amount(_each(row, size) if row.bytes else None, ".1f")


def matrix(rows: list[Row]) -> Table | None:
    """Return the ratio of totals to the best Protobuf mode.

    There is a row for each contender and list, and a column for each number of elements. None where
    nothing is compared with Protobuf.
    """
    compared = compared_with_protobuf(rows)
    cells = {(row.variant, row.name, row.run_as(RepeatedRun).elements): row for row in compared}
    counts = sorted({count for _, _, count in cells})

    def cell(of: tuple[str, str], count: int) -> str:
        row = cells.get((*of, count))
        if row is None or row.ratio_best is None:
            return units.NONE
        return "1" if row.ratio_best.to == row.name else quotient(row.ratio_best.median)

    notes = [
        "Times of encoding and decoding by those of Protobuf's quickest mode; below 1: faster."
    ]
    return (
        Table.matrix(
            "Time compared with Protobuf, by number of elements",
            "contender and list",
            {f"{row.name}, {row.variant}": (row.variant, row.name) for row in compared}.items(),
            [(f"{count:,}", count) for count in counts],
            cell,
            notes,
        )
        if compared
        else None
    )


def compared_with_protobuf(rows: list[Row]) -> list[Row]:
    """Return totals of what is a wire, beside Protobuf's best."""
    return [
        row
        for row in rows
        if row.stage == "total"
        and row.ratio_best is not None
        and row.ratio_best.median > 0
        and row.bytes > 0
    ]


def quotient(value: float) -> str:
    """Return two significant digits: ``101``, ``2.9``, ``0.089``."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _errors(meta: RepeatedMeta) -> Table:
    """Return what columns-reduced may lose; everything else it keeps bit for bit."""
    body = [
        [f"{name} {field}", f"{error:.3g}"]
        for name, errors in meta.errors.items()
        for field, error in errors.items()
    ]
    notes = ["In the schema's units; every value was compared before anything was timed."]
    return Table("Largest errors of columns-reduced", ["field", "error"], body, notes)


def _lead(rows: list[Row]) -> str | None:
    """Say how far columns and Protobuf lie apart, over all cases."""
    parts = []
    for name in ("columns view", "columns-reduced view"):
        pairs = [
            (row, other)
            for row in rows
            if (row.stage, row.name) == ("total", name)
            and row.run_as(RepeatedRun).elements >= LEAST_IN_LEAD
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
            f"{name.removesuffix(' view')} takes {units.span(sizes, '{:.0f}'.format)} % of the "
            f"bytes and is {units.span(quicker, '{:.1f}'.format)} times as quick"
        )
    if not parts:
        return None
    return (
        f"Compared with Google Protobuf with reused messages, in lists of {LEAST_IN_LEAD:,} "
        f"elements or more: {'; '.join(parts)}."
    )
