# SPDX-License-Identifier: Apache-2.0
"""One topic of many recordings as one data set, which DuckDB and Polars read in a line."""

from __future__ import annotations

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import psutil
import pytest
from typer.testing import CliRunner

from cost.drives import mcap
from recordings.small import small_recording
from wirecost.cli import app

HEAD = b"\0\1\0\0"
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "recording-as-columns.md"


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["columns", "read", *map(str, words)])


def recording(path: Path, text: str, form: str, *rows: tuple[float, ...]) -> Path:
    """Write an MCAP file of one topic; ``form``: of a message, for struct."""
    path.parent.mkdir(exist_ok=True)
    data = [(0, n, HEAD + struct.pack(form, *row)) for n, row in enumerate(rows)]
    mcap(path, [("/a", "cdr", "a/msg/B", "ros2msg", text.encode())], data)
    return path


def test_recordings_become_one_table(tmp_path: Path) -> None:
    one = recording(tmp_path / "one" / "drive.mcap", "int32 x\n", "<i", (1,), (2,))
    two = recording(tmp_path / "two" / "drive.mcap", "int32 x\n", "<i", (3,))
    out = tmp_path / "fleet"
    done = run(one, two, one, "--topic", "/a", "--out", out)
    assert done.exit_code == 0, done.exception
    assert "3 messages of /a from 2 of 2 recordings" in " ".join(done.stdout.split())
    assert sorted(file.name for file in out.iterdir()) == ["drive.parquet", "drive_2.parquet"]
    table = pl.scan_parquet(out).collect()
    assert table.columns == ["recording", "log_time", "x"]
    assert table.select("recording", "x").rows() == [(str(one), 1), (str(one), 2), (str(two), 3)]
    (out / "drive.parquet").write_bytes(b"something else")
    again = run(one, two, "--topic", "/a", "--out", out)
    assert "drive.parquet: exists; name another folder or add --force" in str(again.exception)
    assert run(one, two, "--topic", "/a", "--out", out, "--force").exit_code == 0
    assert pl.scan_parquet(out).collect().equals(table)


def test_fields_that_a_recording_lacks_are_null(tmp_path: Path) -> None:
    inner = "\n".join(["", "=" * 80, "MSG: a/C", ""])
    one = recording(tmp_path / "1.mcap", f"int32 x\nC c\nC[] l{inner}int8 y\n", "<ib3xIb",
                    (1, 2, 1, 3))  # fmt: skip
    two = recording(tmp_path / "2.mcap", f"C c\nC[] l\nint32 z{inner}int8 y\nint8 w\n",
                    "<bb2xIbb2xi", (4, 5, 1, 6, 7, 8))  # fmt: skip
    out = tmp_path / "fleet"
    assert run(one, two, "--topic", "/a", "--out", out).exit_code == 0
    table = pl.scan_parquet(out).collect()
    assert table.select("x", "c", "l", "z").rows() == [
        (1, {"y": 2, "w": None}, [{"y": 3, "w": None}], None),
        (None, {"y": 4, "w": 5}, [{"y": 6, "w": 7}], 8),
    ]
    files = f"{out}/*.parquet"
    assert duckdb.sql(f"select sum(c.y), sum(z) from '{files}'").fetchall() == [(6, 8)]


def test_numbers_of_two_types_are_united_without_loss(tmp_path: Path) -> None:
    one = recording(tmp_path / "1.mcap", "int32 x\nuint8[2] y\n", "<iBB", (-1, 1, 2))
    two = recording(tmp_path / "2.mcap", "uint32 x\nuint8[2] y\n", "<IBB", (2**32 - 1, 3, 4))
    three = recording(tmp_path / "3.mcap", "float32 x\nuint8[2] y\n", "<fBB", (0.5, 5, 6))
    for other, name, values in ((two, "int64", [-1, 2**32 - 1]), (three, "float64", [-1, 0.5])):
        done = run(one, other, "--topic", "/a", "--out", tmp_path / name, "--json", "-")
        assert done.exit_code == 0, done.exception
        columns = json.loads(done.stdout)["columns"]
        assert (columns["x"], columns["y"]) == (name, "binary")
        assert pl.scan_parquet(tmp_path / name).collect()["x"].to_list() == values
    every = run(one, two, three, "--topic", "/a", "--out", tmp_path / "fleet")
    assert every.exit_code == 0, every.exception
    assert pl.scan_parquet(tmp_path / "fleet").collect()["x"].to_list() == [-1, 2**32 - 1, 0.5]


def json_recording(path: Path, *values: object) -> Path:
    data = [(0, n, json.dumps(value).encode()) for n, value in enumerate(values)]
    mcap(path, [("/a", "json", "A", "", b"")], data)
    return path


def test_integers_and_reals_of_json_are_reals_where_these_hold_them(tmp_path: Path) -> None:
    one = json_recording(tmp_path / "1.mcap", {"x": 2**53, "l": [{"y": 1}]}, {"x": -(2**53)})
    two = json_recording(tmp_path / "2.mcap", {"x": 0.5, "l": [{"y": 1.5}, {"y": None}]})
    done = run(one, two, "--topic", "/a", "--out", tmp_path / "fleet")
    assert done.exit_code == 0, done.exception
    table = pl.scan_parquet(tmp_path / "fleet").collect()
    assert table["x"].to_list() == [2.0**53, -(2.0**53), 0.5]
    assert table["l"].explode().struct.field("y").to_list() == [1.0, None, 1.5, None]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("large", [{"l": [{"y": 2**53 + 1}]}, {"l": [{"y": -(1 << 63)}]}])
def test_integers_that_no_real_holds_are_refused(
    tmp_path: Path, large: object, workers: int
) -> None:
    one = json_recording(tmp_path / "1.mcap", {"l": [{"y": 0.5}]})
    two = json_recording(tmp_path / "2.mcap", {"l": [{"y": 1}]}, large)
    out = tmp_path / "fleet"
    done = run(two, one, "--topic", "/a", "--out", out, "--workers", workers)
    said = f"{two}: /a has integers beyond 2⁵³ in l.y, where {one} has reals; choose other --fields"
    assert str(done.exception).startswith(said)
    assert not (out / "2.parquet").exists()


def test_a_field_of_two_types_is_refused_with_both(tmp_path: Path) -> None:
    one = recording(tmp_path / "1.mcap", "int32 x\nint64 y\n", "<i4xq", (1, 1))
    two = recording(tmp_path / "2.mcap", "int32 x\nbool y\n", "<i?", (1, True))
    out = tmp_path / "fleet"
    done = run(one, two, "--topic", "/a", "--out", out)
    said = str(done.exception)
    assert said.startswith(f"{two}: /a has y as Boolean, {one} as Int64; choose other --fields")
    assert not out.exists()
    assert run(one, two, "--topic", "/a", "--fields", "x", "--out", out).exit_code == 0


def test_recordings_without_the_topic_are_left_out(tmp_path: Path) -> None:
    one = recording(tmp_path / "1.mcap", "int32 recording\n", "<i", (1,))
    other = small_recording(tmp_path, "mcap_file")
    done = run(one, other, "--topic", "/a", "--out", tmp_path / "fleet", "--json", "-")
    document = json.loads(done.stdout)
    assert list(document["files"]) == [str(one)]
    assert list(document["columns"]) == ["_recording", "log_time", "recording"]
    assert document["columns"]["log_time"] == "datetime64[ns]"
    assert document["notes"][0].startswith(f"left out: {other}: has no topic /a")
    none = run(one, other, "--topic", "/b", "--out", tmp_path / "other")
    assert "has no topic /b" in str(none.exception)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("words", [["--out", "fleet"], ["--topic", "/a", "--out", "fleet.parquet"]])
def test_of_several_recordings_one_topic_goes_to_a_folder(tmp_path: Path, words: list[str]) -> None:
    one = recording(tmp_path / "1.mcap", "int32 x\n", "<i", (1,))
    done = run(one, tmp_path, *words)
    assert "several recordings: give --topic, and --out with a folder" in str(done.exception)


def test_the_lines_of_the_page_read_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [tmp_path / "monday", tmp_path / "tuesday"]
    for folder in folders:
        folder.mkdir()
    drives = [small_recording(folder, "mcap_file") for folder in folders]
    assert run(*drives, "--topic", "/imu", "--out", "fleet").exit_code == 0
    block = re.search(r"```python\n(import duckdb\n.*?)```", PAGE.read_text(), re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {}
    exec(block[1], names)
    by_duckdb, by_polars = names["by_duckdb"], names["by_polars"]
    assert sorted(by_duckdb.fetchall()) == sorted(by_polars.rows())
    assert {row[0] for row in by_polars.rows()} == {str(path) for path in drives}


def test_what_a_cut_recording_lacks_is_said(tmp_path: Path) -> None:
    whole = recording(tmp_path / "1.mcap", "int32 x\n", "<i", *((n,) for n in range(50)))
    cut = tmp_path / "2.mcap"
    cut.write_bytes(whole.read_bytes()[:-200])
    alone = run(cut, "--topic", "/a", "--out", tmp_path / "cut.parquet")
    assert alone.exit_code == 0, alone.exception
    assert "cut off" in alone.stdout
    together = run(whole, cut, "--topic", "/a", "--out", tmp_path / "fleet")
    assert "cut off" in together.stdout
    assert "cut off" not in run(whole, "--topic", "/a", "--out", tmp_path / "1.parquet").stdout


def vehicles(folder: Path, count: int, rows: int = 1) -> Path:
    """Write recordings of two vehicles."""
    for number in range(count):
        path = folder / f"truck-{number % 2}" / f"drive{number}.mcap"
        path.parent.mkdir(parents=True, exist_ok=True)
        recording(path, "int32 x\n", "<i", *((number + row,) for row in range(rows)))
    return folder


def test_a_folder_of_recordings_is_read_below_it(tmp_path: Path) -> None:
    folder, out = vehicles(tmp_path / "all", 3), tmp_path / "set"
    (folder / "notes.txt").write_text("no recording")
    small_recording(folder / "truck-1", "ros2_folder")
    done = run(folder, "--topic", "/a", "--out", out)
    assert done.exit_code == 0, done.exception
    names = ["truck-0_drive0.parquet", "truck-0_drive2.parquet", "truck-1_drive1.parquet"]
    assert sorted(file.name for file in out.iterdir()) == names
    assert "from 3 of 4 recordings" in " ".join(done.stdout.split())
    assert "small:hasnotopic/a" in "".join(done.stdout.split())  # wherever lines break


def test_links_are_followed_once_and_one_that_leads_nowhere_is_said(tmp_path: Path) -> None:
    vehicles(tmp_path / "disk", 1)
    folder, out = tmp_path / "all", tmp_path / "set"
    folder.mkdir()
    (folder / "truck").symlink_to(tmp_path / "disk" / "truck-0")
    (folder / "again").symlink_to(folder)
    (folder / "same.mcap").symlink_to(tmp_path / "disk" / "truck-0" / "drive0.mcap")
    (folder / "gone.mcap").symlink_to(tmp_path / "nothing")
    for _ in range(2):
        done = json.loads(run(folder, "--topic", "/a", "--out", out, "--json", "-").stdout)
        assert (done["rows"], len(done["notes"])) == (1, 1)
        assert f"{folder}/gone.mcap: no such file" in done["notes"][0]
        assert [file.name for file in out.iterdir()] == ["same.parquet"]


def test_a_name_that_is_no_text_is_said_and_others_are_read(tmp_path: Path) -> None:
    folder = vehicles(tmp_path / "all", 2)
    (folder / "truck-0" / "drive0.mcap").rename(folder / os.fsdecode(b"\xff.mcap"))
    read = run(folder, "--topic", "/a", "--out", tmp_path / "set", "--json", "-")
    done = json.loads(read.stdout)
    assert (done["rows"], len(done["notes"])) == (1, 1)
    assert "its path is no UTF-8" in done["notes"][0]


def test_a_second_run_writes_what_is_new_or_changed(tmp_path: Path) -> None:
    folder, out = vehicles(tmp_path / "all", 3), tmp_path / "set"
    words = (folder, "--topic", "/a", "--out", out)
    assert run(*words).exit_code == 0
    before = {file.name: file.stat().st_mtime_ns for file in out.iterdir()}
    vehicles(folder, 4)  # the same anew, and one more
    recording(folder / "truck-1" / "drive1.mcap", "int32 x\nint8 y\n", "<ib", (7, 8))
    assert run(*words).exit_code == 0
    # All have a new column.
    assert pl.scan_parquet(out).select("x", "y").collect().rows() == [
        (0, None), (2, None), (7, 8), (3, None),
    ]  # fmt: skip
    assert not before.items() & {f.name: f.stat().st_mtime_ns for f in out.iterdir()}.items()
    again = run(*words)
    assert "4 of these files were there" in " ".join(again.stdout.split())
    other = run(*words, "--fields", "x")
    assert "was written with other --topic, --fields" in str(other.exception)
    (folder / "truck-1" / "drive3.mcap").unlink()
    gone = run(*words)
    assert "mcap as well, from before" in " ".join(gone.stdout.split())


def test_notes_of_files_that_were_there_are_said_again(tmp_path: Path) -> None:
    whole = recording(tmp_path / "1.mcap", "int32 x\n", "<i", *((n,) for n in range(50)))
    cut = tmp_path / "2.mcap"
    cut.write_bytes(whole.read_bytes()[:-200])
    words = (whole, cut, "--topic", "/a", "--out", tmp_path / "set")
    assert run(*words).exit_code == 0
    again = run(*words)
    assert "2 of these files were there" in " ".join(again.stdout.split())
    assert "cut off" in again.stdout


def test_a_killed_run_goes_on_and_ends_as_one_that_was_not(tmp_path: Path) -> None:
    folder, out, clean = vehicles(tmp_path / "all", 60), tmp_path / "set", tmp_path / "clean"
    words = ["columns", "read", str(folder), "--topic", "/a", "--out"]
    command = [sys.executable, "-m", "wirecost", *words, str(out), "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not (out.is_dir() and any(out.iterdir())) and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    there = {file.name: file.stat().st_mtime_ns for file in out.iterdir()}
    assert 0 < len(there) < 60
    assert all(pl.read_parquet(out / name).height == 1 for name in there)
    assert run(folder, "--topic", "/a", "--out", out).exit_code == 0
    assert run(folder, "--topic", "/a", "--out", clean, "--workers", 2).exit_code == 0
    assert there.items() <= {f.name: f.stat().st_mtime_ns for f in out.iterdir()}.items()
    files = [sorted(place.iterdir()) for place in (out, clean)]
    assert len(files[0]) == 60
    assert [file.name for file in files[0]] == [file.name for file in files[1]]
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]


def test_workers_end_with_the_command(tmp_path: Path) -> None:
    folder, out = vehicles(tmp_path / "all", 60), tmp_path / "set"
    command = [sys.executable, "-m", "wirecost", "columns", "read", str(folder), "--topic", "/a",
               "--out", str(out), "--workers", "2"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not (out.is_dir() and any(out.iterdir())) and process.poll() is None:
        time.sleep(0.001)
    workers = psutil.Process(process.pid).children()
    process.kill()
    process.wait()
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive
