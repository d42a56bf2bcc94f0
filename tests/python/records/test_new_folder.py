# SPDX-License-Identifier: Apache-2.0
"""Result folders while they are filled: one run's alone, and whole in the end.

Measurements of a killed run are there after the next one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.journals import fill
from wirecost.results.records.new_folder import new_folder
from wirecost.system.errors import UserError

KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from support.journals import fill
from wirecost.results.records.new_folder import new_folder
with new_folder("heap", Path({out!r})) as pending:
    {filled}
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(out: Path, filled: str) -> None:
    """Fake a run that was killed when it had filled its folder so far."""
    code = KILLED.format(tests=str(Path(__file__).parents[1]), out=str(out), filled=filled)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def interrupted(folder: Path) -> object:
    return json.loads((folder / "meta.json").read_text())["interrupted"]


def test_a_folder_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), new_folder("heap", tmp_path / "r") as pending:
        (pending.path / "half").write_text("written")
        assert names(tmp_path) == [".r.partial", ".r.partial.lock"]
        raise RuntimeError
    assert names(tmp_path) == []
    with new_folder("heap", tmp_path / "r") as pending:
        (pending.path / "whole").touch()
    assert names(tmp_path) == ["r"]


def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    for existing in (tmp_path, tmp_path / "mine"):
        with pytest.raises(UserError, match="not empty"), new_folder("heap", existing):
            pass
    assert (tmp_path / "mine").read_text() == "precious"


def test_an_unwritable_place_is_named() -> None:
    with pytest.raises(UserError, match="writable --out"), new_folder("osi", Path("/proc/nowhere")):
        pass


def test_a_second_run_is_refused_at_once(tmp_path: Path) -> None:
    with new_folder("heap", tmp_path / "r") as first:
        (first.path / "of the first").touch()
        with pytest.raises(UserError, match="another run"), new_folder("heap", tmp_path / "r"):
            pass
        with new_folder("heap", tmp_path / "other"):
            pass
    assert names(tmp_path) == ["other", "r"]
    assert names(tmp_path / "r") == ["of the first"]


@pytest.mark.parametrize("taken_by", ["folder", "file", "link"])
def test_a_name_taken_meanwhile_is_left_to_whom_took_it(tmp_path: Path, taken_by: str) -> None:
    out = tmp_path / "r"
    (tmp_path / "r-2").mkdir()
    with new_folder("heap", out) as pending:
        (pending.path / "mine").touch()
        if taken_by == "folder":
            out.mkdir()
            (out / "theirs").touch()
        elif taken_by == "file":
            out.write_text("theirs")
        else:
            out.symlink_to(tmp_path / "r-2")
    assert pending.final == tmp_path / "r-3"
    assert names(tmp_path) == ["r", "r-2", "r-3"]
    assert names(tmp_path / "r-3") == ["mine"]
    assert names(tmp_path / "r-2") == []


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "r")
    with new_folder("heap", tmp_path / "link") as pending:
        (pending.path / "mine").touch()
    assert names(tmp_path / "link") == names(tmp_path / "r") == ["mine"]


def test_what_a_killed_run_had_measured_is_kept_by_the_next(tmp_path: Path) -> None:
    killed(tmp_path / "r", "fill(pending.path)")
    assert names(tmp_path) == [".r.partial", ".r.partial.lock"]
    killed(tmp_path / "s", "fill(pending.path)")
    assert names(tmp_path) == [".s.partial", ".s.partial.lock", "r"]
    with new_folder("heap", tmp_path / "s") as pending:
        assert pending.recovered == [tmp_path / "s-2"]
        (pending.path / "mine").touch()
    assert names(tmp_path) == ["r", "s", "s-2"]
    for folder in (tmp_path / "r", tmp_path / "s-2"):
        assert interrupted(folder) == "killed"
        assert names(folder) == ["meta.json", "samples.parquet"]
    assert names(tmp_path / "s") == ["mine"]


@pytest.mark.parametrize(
    "filled", ["pass", "fill(pending.path, 0)", "(pending.path / 'x').touch()"]
)
def test_of_a_run_killed_before_it_measured_nothing_stays(tmp_path: Path, filled: str) -> None:
    killed(tmp_path / "r", filled)
    with new_folder("heap", tmp_path / "next") as pending:
        pass
    assert pending.recovered == [] and names(tmp_path) == ["next"]


def test_what_cannot_be_read_stays_and_is_named(tmp_path: Path) -> None:
    killed(tmp_path / "r", "(pending.path / 'journal.jsonl').write_text('damaged\\n')")
    with new_folder("heap", tmp_path / "other") as pending:
        assert pending.recovered == []
    reported = r"\.r\.partial/journal\.jsonl: line 1"
    with pytest.raises(UserError, match=reported), new_folder("heap", tmp_path / "r"):
        pass
    assert names(tmp_path) == [".r.partial", ".r.partial.lock", "other"]


def test_another_users_folder_is_left_alone(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to make a file of another user")
    killed(tmp_path / "r", "fill(pending.path)")
    os.chown(tmp_path / ".r.partial.lock", 12345, 12345)
    with new_folder("heap", tmp_path / "other"):
        pass
    assert names(tmp_path) == [".r.partial", ".r.partial.lock", "other"]
    with pytest.raises(UserError, match="another run"), new_folder("heap", tmp_path / "r"):
        pass


def test_what_was_left_on_purpose_is_finished_by_the_next_run(tmp_path: Path) -> None:
    with new_folder("heap", tmp_path / "r") as pending:
        fill(pending.path).close()
        pending.leave()
    assert names(tmp_path) == [".r.partial", ".r.partial.lock"]
    with new_folder("heap", tmp_path / "other") as pending:
        assert pending.recovered == [tmp_path / "r"]
    assert names(tmp_path) == ["other", "r"]
