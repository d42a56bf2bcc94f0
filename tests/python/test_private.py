# SPDX-License-Identifier: Apache-2.0
"""Private folders and files: what is made, what is accepted, what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.second_user import SECOND_USER, needs_root, open_folder, python_as_second_user
from wirecost.system.errors import UserError
from wirecost.system.private import (
    ROOTS_STATE,
    private_folder,
    read_private,
    state_folder,
    state_path,
    users_state_path,
    write_private,
)

ONE_LINE = r"^[^\n]+: [^\n]+; [^\n]+$"


def test_a_folder_is_made_with_what_is_above_it(tmp_path: Path) -> None:
    made = private_folder(tmp_path / "a" / "b")
    assert made == tmp_path / "a" / "b"
    assert [path.stat().st_mode & 0o777 for path in (made.parent, made)] == [0o700, 0o700]
    assert private_folder(made) == made


def test_a_folder_that_others_could_read_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    assert private_folder(folder).stat().st_mode & 0o777 == 0o700


def test_links_of_ones_own_are_followed_on_the_way_but_not_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real").mkdir()
    assert private_folder(tmp_path / "link" / "state") == tmp_path / "link" / "state"
    with pytest.raises(UserError, match=ONE_LINE):
        private_folder(tmp_path / "link")
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(UserError, match=ONE_LINE):
        private_folder(tmp_path / "round" / "state")


@pytest.mark.parametrize("harm", ["group", "everybody", "above", "file", "dangling", "nul"])
def test_what_others_may_write_is_refused(harm: str, tmp_path: Path) -> None:
    folder = tmp_path / "above" / "state"
    folder.mkdir(parents=True, mode=0o700)
    if harm == "group":
        folder.chmod(0o770)
    elif harm == "everybody":
        folder.chmod(0o702)
    elif harm == "above":
        folder.parent.chmod(0o777)
    elif harm == "file":
        folder.rmdir()
        folder.touch()
    elif harm == "dangling":
        folder.rmdir()
        folder.symlink_to("nowhere")
    else:
        folder = Path("/tmp/a\0b")
    with pytest.raises(UserError, match=ONE_LINE):
        private_folder(folder)


def test_a_sticky_folder_is_as_good_as_tmp(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    assert private_folder(tmp_path / "tmp" / "mine").is_dir()


def test_a_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert read_private(path, 10) is None
    write_private(path, b"first")
    write_private(path, b"second")
    assert read_private(path, 10) == b"second"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    with pytest.raises(UserError, match="more than 5 bytes"):
        read_private(path, 5)


@pytest.mark.parametrize("harm", ["group", "everybody", "link", "hard link", "fifo", "folder"])
def test_a_file_that_others_could_have_written_is_refused(harm: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_private(path, b"")
    if harm == "group":
        path.chmod(0o620)
    elif harm == "everybody":
        path.chmod(0o602)
    elif harm == "link":
        path.rename(tmp_path / "other")
        path.symlink_to("other")
    elif harm == "hard link":
        (tmp_path / "other").hardlink_to(path)
    else:
        path.unlink()
        os.mkfifo(path) if harm == "fifo" else path.mkdir()
    with pytest.raises(UserError, match=ONE_LINE):
        read_private(path, 10)


def test_where_state_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("WIRECOST_STATE", raising=False)
    assert users_state_path() == tmp_path / ".local" / "state" / "wirecost"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert users_state_path() == tmp_path / ".local" / "state" / "wirecost"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    assert users_state_path() == tmp_path / "xdg" / "wirecost"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert state_path() == tmp_path / "xdg" / "wirecost"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert state_path() == ROOTS_STATE
    monkeypatch.setenv("WIRECOST_STATE", str(tmp_path / "chosen"))
    assert state_path() == tmp_path / "chosen"
    monkeypatch.undo()
    monkeypatch.setenv("WIRECOST_STATE", str(tmp_path / "chosen"))
    assert state_folder() == tmp_path / "chosen"


@needs_root
def test_a_second_users_folder_is_refused() -> None:
    with open_folder(0o1777) as common:
        program = """
import sys
from wirecost.system.private import *
print(private_folder(Path(sys.argv[1])))
"""
        theirs = common / "theirs"
        done = python_as_second_user(program, theirs)
        assert (done.returncode, done.stdout) == (0, f"{theirs}\n"), done.stderr
        for folder in (theirs, theirs / "below"):
            with pytest.raises(UserError, match=r"belongs to another user|belongs to user"):
                private_folder(folder)
        # And the other way round, though root could.
        ours = private_folder(common / "ours")
        refused = python_as_second_user(program, ours)
        assert refused.returncode != 0
        assert "UserError" in refused.stderr


@needs_root
def test_a_second_users_link_on_the_way_is_refused() -> None:
    with open_folder(0o1777) as common:
        (common / "real").mkdir()
        (common / "link").symlink_to(common / "real")
        assert private_folder(common / "link" / "state").is_dir()
        os.lchown(common / "link", SECOND_USER, -1)
        with pytest.raises(UserError, match="belongs to another user"):
            private_folder(common / "link" / "state")
