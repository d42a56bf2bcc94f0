# SPDX-License-Identifier: Apache-2.0
"""The table of sizes: who is how many times faster, and where nobody can tell."""

from __future__ import annotations

from typing import Any

from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from support.result_folders import DATA
from wirecost.measure.bench.osi.content import growths
from wirecost.measure.bench.osi.schema import OsiMeta
from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row
from wirecost.results.records.reading import read_results

META = read_results(DATA / "osi").meta_as(OsiMeta)
SIZES = (100, 1000, 10)


def case(reflections: int, read: str = "sampled") -> str:
    return f"{reflections} reflections" + (", all read" if read == "all" else "")


def row(name: str, reflections: int, median: float, ratio: Ratio, **more: Any) -> Row:
    stage, read = more.get("stage", "total"), more.get("read", "sampled")
    return Row(
        case(reflections, read), name, "same-work", "release", 2, stage, 30, more.get("of", 10),
        median, median, median, median, (median, median), 1, "", None, ratio, None, "", "",
        META.runs[0], median, median,
    )  # fmt: skip


def meta(*reads: str, sizes: tuple[int, ...] = SIZES) -> OsiMeta:
    runs = [
        structs.replace(
            META.runs[0], case=case(size, read), reflections=size, objects=10, read=read,
            player=False,
        )
        for size in sizes
        for read in reads
    ]  # fmt: skip
    return structs.replace(META, runs=runs)


def same(name: str) -> Ratio:
    return Ratio(name, 1, (1, 1))


def rows(read: str = "sampled") -> list[Row]:
    best, other = "protobuf-reuse", "protobuf"
    return [
        made
        for size in SIZES
        for made in (
            row(best, size, 1000 * size, Ratio(other, 1.5, (0.9, 2)) if size == 10 else same(best),
                read=read),
            row(other, size, 800 * size, same(other) if size == 10 else Ratio(best, 2, (1.9, 2.1)),
                read=read),
            row("columns", size, size, Ratio(best, 0.025, (0.02, 0.03)), read=read),
            row("columns", size, 9, same(best), read=read, stage="source"),
        )
    ]  # fmt: skip


def test_sizes_stand_side_by_side(snapshot: SnapshotAssertion) -> None:
    (table,) = growths(meta("sampled"), rows())
    assert table == snapshot


def test_what_is_read_stands_in_tables_of_its_own() -> None:
    tables = growths(meta("sampled", "all"), rows() + rows("all"))
    assert [", all read" in table.title for table in tables] == [False, True]


def test_two_sizes_are_no_growth() -> None:
    few = [row for row in rows() if row.case != case(10)]
    assert growths(meta("sampled", sizes=(100, 1000)), few) == []


def test_a_contender_that_failed_at_a_size_is_left_out_there() -> None:
    some = [row for row in rows() if (row.contender, row.case) != ("columns", case(100))]
    (table,) = growths(meta("sampled"), some)
    assert table.rows[-1] == ["columns", "40×", "–", "40×"]
