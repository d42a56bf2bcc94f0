# SPDX-License-Identifier: Apache-2.0
"""The store: whole files, nothing twice, and no two measurements of a host at once."""

from __future__ import annotations

import errno
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from support import result_folders
from wirecost.measure.campaign.imported import imported
from wirecost.results.store.store import DONE, FAILED, LATER, Record, Store, overlaps
from wirecost.system.errors import UserError

ROOT = Path(__file__).parents[3]
RECORD = Record(
    "0" * 16, "a", "osi", "lab/1", "here", 0, ["--fmi", "2"], "boot", 10, 20, DONE, "", "ok", "ok",
    "wirecost 0", "{}",
)  # fmt: skip
SAMPLES = pl.DataFrame({"contender": ["x"], "stage": ["total"], "ns": [5]})
ROWS = [
    {"contender": "x", "mode": "", "stage": "total", "case": "c", "n": 1, "median_ns": 5,
     "ci95_ns": [4, 6]}
]  # fmt: skip


def test_a_second_attempt_takes_the_place_of_the_first(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.begin()
    store.keep(replace(RECORD, outcome=FAILED, failure="why"), None, [])
    store.keep(RECORD, SAMPLES, ROWS)
    store.keep(replace(RECORD, task="1" * 16, start_ns=30, end_ns=40), SAMPLES, ROWS)
    records = Store(tmp_path / "s").records()
    assert records["outcome"].to_list() == [DONE, DONE]
    assert records["arguments"].to_list() == [["--fmi", "2"]] * 2
    everything = pl.read_parquet(
        tmp_path / "s" / "samples" / "**" / "*.parquet", hive_partitioning=True
    )
    assert everything.select("task", "campaign", "scenario", "ns").rows() == [
        ("0" * 16, "a", "osi", 5),
        ("1" * 16, "a", "osi", 5),
    ]
    rows = pl.read_parquet(tmp_path / "s" / "rows" / "**" / "*.parquet", hive_partitioning=True)
    assert rows.select("median_ns", "low_ns", "high_ns").row(0) == (5.0, 4.0, 6.0)


@pytest.mark.parametrize("name", ["a*", "a[1]", "a?", "**", "[!a]", "{a,b}", "a%41 #'\"", "ü", "["])
def test_a_path_is_no_pattern(tmp_path: Path, name: str) -> None:
    for each in ("ab", "a1", "aa", "b", name):
        store = Store(tmp_path / each)
        store.begin()
        store.keep(replace(RECORD, host=f"host {each}"), SAMPLES, ROWS)
    for table in ("samples", "rows", "records"):
        scanned = store.scan(table)
        assert scanned is not None
        assert scanned.collect()["host"].to_list() == [f"host {name}"], table


@pytest.mark.parametrize("name", ["host=7", "a/campaign=b/c", "a\\b"])
def test_a_path_that_readers_would_take_apart_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="name another place"):
        Store(tmp_path / name)


def test_of_a_task_all_files_are_kept_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders too: two that are imported while there is room for one, then with room."""
    folders = [result_folders.copied(name, tmp_path / name) for name in ("heap", "lists")]
    store = Store(tmp_path / "new" / "s")
    write, room = store.place.write, 6

    def filling(name: str, data: bytes) -> None:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(errno.ENOSPC, "No space left on device", name)
        write(name, data)

    monkeypatch.setattr(store.place, "write", filling)
    with pytest.raises(UserError, match="make room; 1 imported, the same command imports the rest"):
        imported(store, folders, "a", "lab", None)
    assert Store(str(store.place)).records()["scenario"].to_list() == ["heap"]
    assert not list((tmp_path / "new").rglob("scenario=lists"))
    room = 10
    assert imported(store, folders, "a", "lab", None) == (1, 1, [])


def test_a_store_into_which_nothing_can_be_put_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = result_folders.copied("heap", tmp_path / "heap")
    store = Store(tmp_path / "s")
    write = store.place.write

    def filling(name: str, data: bytes) -> None:
        if name.startswith("records"):
            raise OSError(errno.ENOSPC, "No space left on device", name)
        write(name, data)

    monkeypatch.setattr(store.place, "write", filling)
    with pytest.raises(UserError, match=f"^{tmp_path}/s: No space left on device; make room$"):
        imported(store, [folder], "a", "lab", None)
    assert imported(Store(tmp_path / "s"), [tmp_path / "nowhere"], "a", "lab", None)[0] == 0
    assert list(tmp_path.iterdir()) == [folder]


def test_records_of_version_1_are_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.begin()
    store.keep(RECORD, SAMPLES, [])
    store.keep(replace(RECORD, task="1" * 16, start_ns=30, end_ns=40, revision="r"), None, [])
    (path,) = tmp_path.glob(f"records/**/{RECORD.task}.parquet")
    pl.read_parquet(path, hive_partitioning=False).drop(LATER).write_parquet(path)
    (tmp_path / "store.json").write_text('{"store": 1}')
    assert Store(tmp_path).records()["revision"].to_list() == ["", "r"]


def test_measurements_that_met_are_found(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.begin()
    times = {"a": (0, 10), "b": (10, 30), "c": (12, 20), "d": (29, 35), "e": (40, 50)}
    for task, (start, end) in times.items():
        store.keep(replace(RECORD, task=task, start_ns=start, end_ns=end), None, [])
    store.keep(replace(RECORD, task="f", start_ns=5, end_ns=8, boot="another"), None, [])
    store.keep(replace(RECORD, task="g", start_ns=5, end_ns=8, host="another"), None, [])
    met = overlaps(store.records())
    assert met["task"].to_list() == ["c", "d"]
    assert overlaps(store.records().filter(pl.col("task") < "c")).is_empty()


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UserError, match=r"is no store and not empty .*name another folder"):
        Store(tmp_path)
    (tmp_path / "store.json").write_text('{"store": 9}')
    with pytest.raises(UserError, match="version 9, this wirecost reads up to 2; install a newer"):
        Store(tmp_path)
    (tmp_path / "store.json").write_text("[")
    with pytest.raises(UserError, match="cannot be read"):
        Store(tmp_path)


@pytest.mark.parametrize("content", [b"PAR1", b"", None])
def test_a_damaged_record_is_named(tmp_path: Path, content: bytes | None) -> None:
    store = Store(tmp_path)
    store.begin()
    store.keep(RECORD, None, [])
    (path,) = tmp_path.rglob("records/**/*.parquet")
    if content is None:
        SAMPLES.write_parquet(path)
    else:
        path.write_bytes(content)
    with pytest.raises(UserError, match=r"0000\.parquet: .*; remove it"):
        Store(tmp_path).records()


def test_others_read_it_as_it_is(tmp_path: Path) -> None:
    """Others read it by docs/formats/campaign-store.md."""
    duckdb = pytest.importorskip("duckdb")
    store = Store(tmp_path)
    store.begin()
    store.keep(RECORD, SAMPLES, ROWS)
    other = pl.DataFrame({"contender": ["x"], "stage": ["total"], "ns": [7], "plugin": ["numpy"]})
    store.keep(replace(RECORD, task="1" * 16, scenario="tensor"), other, ROWS)
    text = (ROOT / "docs" / "formats" / "campaign-store.md").read_text()
    (sql,) = re.findall(r"DuckDB: `([^`]+)`", text)
    rows = duckdb.sql(sql.replace("STORE", str(tmp_path))).fetchall()
    assert [(row[0], row[2]) for row in rows] == [("x", 6.0)]
    (code,) = re.findall(r"Dask: `([^`]+)`", text)
    pytest.importorskip("dask.dataframe")
    import dask.dataframe as dd

    frame = eval(code, {"dd": dd, "STORE": str(tmp_path), "NAME": "a"})
    assert frame.compute()["ns"].to_list() == [5]
