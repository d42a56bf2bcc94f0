# SPDX-License-Identifier: Apache-2.0
"""Files are whole or not there, also where file systems know no file without a name."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import polars as pl
import pytest

from wirecost.system import whole_file
from wirecost.system.whole_file import check_room, copy_files, made_folder, replaced, write_text
from wirecost.system.whole_table import write_table


@pytest.fixture(params=["unnamed", "named"])
def place(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "named":
        monkeypatch.setattr(whole_file, "_unnamed", lambda _: None)
    return tmp_path


def test_it_takes_the_place_of_what_was_there(place: Path) -> None:
    path = place / "a"
    former = os.umask(0o027)
    try:
        write_text(path, "one")
    finally:
        os.umask(former)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_text(path, "two")
    write_table(place / "b", pl.DataFrame({"x": [1]}))
    assert path.read_text() == "two" and len(pl.read_parquet(place / "b")) == 1
    assert sorted(one.name for one in place.iterdir()) == ["a", "b"]


def test_where_it_fails_everything_is_as_it_was(place: Path) -> None:
    path = place / "a"
    path.write_text("former")
    with pytest.raises(RuntimeError), replaced(path) as made:
        made.write_text("half")
        raise RuntimeError
    (place / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_text(place / "folder", "text")
    with pytest.raises(FileNotFoundError, match="no/where"):
        write_text(place / "no" / "where", "text")
    assert path.read_text() == "former"
    assert sorted(one.name for one in place.iterdir()) == ["a", "folder"]


def test_folders_that_were_made_for_nothing_are_gone(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for folder in (tmp_path / "there", tmp_path / "there" / "new" / "newer"):
        with pytest.raises(RuntimeError), made_folder(folder):
            assert folder.is_dir()
            raise RuntimeError
        assert [one.name for one in tmp_path.rglob("*")] == ["there"]
    with pytest.raises(RuntimeError), made_folder(tmp_path / "a" / "b" / "c"):
        (tmp_path / "a" / "mine").touch()
        raise RuntimeError
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["a", "mine", "there"]
    with pytest.raises(NotADirectoryError), made_folder(tmp_path / "a" / "mine" / "x"):
        pass


def test_room_is_looked_for_without_a_trace(tmp_path: Path) -> None:
    check_room(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match="nowhere"):
        check_room(tmp_path / "nowhere")


def test_a_copy_that_fails_names_the_copy(tmp_path: Path) -> None:
    (tmp_path / "from" / "folder").mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / "from" / name).write_text(name)
    copy_files(tmp_path / "from", tmp_path / "to")
    assert sorted((one.name, one.read_text()) for one in (tmp_path / "to").iterdir()) == [
        ("a", "a"),
        ("b", "b"),
    ]
    with pytest.raises(FileExistsError, match="to"):
        copy_files(tmp_path / "from", tmp_path / "to")


def test_a_device_is_written_into() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_text(Path("/dev/full"), "text")
    write_text(Path("/dev/null"), "text")
    assert Path("/dev/full").is_char_device() and Path("/dev/null").is_char_device()


def test_a_killed_process_leaves_nothing(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        with replaced(tmp_path / "a") as made:
            made.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    if whole_file._unnamed(tmp_path) is None:
        pytest.skip("this file system knows no file without a name")
    assert list(tmp_path.iterdir()) == []
