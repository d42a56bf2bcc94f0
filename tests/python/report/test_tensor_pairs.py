# SPDX-License-Identifier: Apache-2.0
"""Single pairs of processes in a report: which fell behind, and which differ."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import polars as pl

from support.tensor_folders import tensor_folder
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import content_of
from wirecost.results.report.scenarios.tensor import pairs
from wirecost.results.report.shared.table import Table


def made(path: Path, factor: pl.Expr, **more: str) -> Results:
    """Two pairs of processes; ``factor`` of zeromq's total, by repetition and process."""
    results = tensor_folder(
        path, middlewares=("zeromq", "zenoh", "wrapyfi-in-process"), n=40, **more
    )
    slow = (pl.col("contender") == "zeromq") & (pl.col("stage") == "total")
    samples = results.samples.with_columns(process=pl.col("repetition") // 20).with_columns(
        ns=pl.when(slow).then((pl.col("ns") * factor).cast(pl.Int64)).otherwise(pl.col("ns"))
    )
    return dataclasses.replace(results, samples=samples)


def shown(results: Results, title: str, details: bool = False) -> Table | None:
    reported = content_of(results, summarize(results))
    tables = reported.details if details else [*reported.tables, *reported.folded]
    return next((table for table in tables if table.title == title), None)


def test_a_listener_that_fell_behind_is_listed_with_how_its_times_grew(tmp_path: Path) -> None:
    headings = ("first tenth", "last tenth")
    growing = pl.when(pl.col("process") == 1).then(20.0 * pl.col("repetition")).otherwise(1.0)
    results = made(tmp_path, growing)
    behind = shown(results, pairs.BEHIND)
    assert behind is not None
    (row,) = behind.rows
    cells = dict(zip(behind.headings, row, strict=True))
    assert cells["contender and object"].endswith("zeromq numpy")
    assert (cells["pairs"], cells["waited"]) == ("1 of 2", "19 of 40")
    assert cells["fastest pair"].endswith("µs")
    first, last = (float(cells[part].removesuffix(" ms")) for part in headings)
    assert 1.5 < last / first < 2.5  # the pair's first messages have number 20 and 21


def test_who_keeps_up_is_not_listed(tmp_path: Path) -> None:
    results = made(tmp_path, pl.lit(1.0))
    assert shown(results, pairs.BEHIND) is None
    assert all(not sent.fell_behind for sent in pairs.sent(results))
    assert [sent.contender for sent in pairs.sent(results)] == ["zeromq", "zenoh"]


def test_pairs_that_differ_are_listed_in_detail(tmp_path: Path) -> None:
    double = pl.when(pl.col("process") == 1).then(2.0).otherwise(1.0)
    table = shown(made(tmp_path, double), pairs.DIFFER, details=True)
    assert table is not None
    rows = {row[0]: dict(zip(table.headings, row, strict=True)) for row in table.rows}
    assert 1.8 < float(rows["200x200 float64 zeromq"]["largest"]) < 2.2
    assert float(rows["200x200 float64 zenoh"]["largest"]) < 1.2
    assert rows["200x200 float64 zeromq"]["object"] == "numpy"


def test_one_pair_has_none_to_differ_from(tmp_path: Path) -> None:
    results = made(tmp_path, pl.lit(1.0))
    alone = dataclasses.replace(results, samples=results.samples.with_columns(process=pl.lit(0)))
    assert shown(alone, pairs.DIFFER) is None


def test_requests_wait_for_their_replies(tmp_path: Path) -> None:
    results = made(tmp_path, pl.lit(1000.0), pattern="reqrep")
    assert pairs.sent(results) == []
