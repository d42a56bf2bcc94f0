# SPDX-License-Identifier: Apache-2.0
"""One topic of many recordings as one data set, which DuckDB and Polars read in a line."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
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
    again = run(one, two, "--topic", "/a", "--out", out)
    assert "drive.parquet: exists; name another file or add --force" in str(again.exception)
    assert run(one, two, "--topic", "/a", "--out", out, "--force").exit_code == 0


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


def test_a_field_of_two_types_is_refused_with_both(tmp_path: Path) -> None:
    one = recording(tmp_path / "1.mcap", "int32 x\nint32 y\n", "<ii", (1, 1))
    two = recording(tmp_path / "2.mcap", "int32 x\nfloat64 y\n", "<i4xd", (1, 1))
    out = tmp_path / "fleet"
    done = run(one, two, "--topic", "/a", "--out", out)
    said = str(done.exception)
    assert said.startswith(f"{two}: /a has y as Float64, {one} as Int32; choose other --fields")
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
