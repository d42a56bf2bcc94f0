# SPDX-License-Identifier: Apache-2.0
"""Temporary folders and processes of runs.

They are gone with their runs, or with the next one, never a living run's."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from support.programs import execute
from support.waiting import until
from wirecost.system import scratch
from wirecost.system.errors import UserError

RUN = """
import subprocess, sys, time
from wirecost.system import children
from wirecost.system import scratch
with scratch.run():
    made = scratch.make("a")
    (made / "file").write_text("content")
    memory = scratch.make("b", in_memory=True)
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "start_new_session": True}
    child = children.start(["sleep", "1000"], stdout=subprocess.DEVNULL)
    stray = subprocess.Popen(["sh", "-c", "sleep 1001 & exec sleep 1002"], **quiet)
    time.sleep(0.3)
    print(made, memory, child.pid, stray.pid, flush=True)
    sys.stdin.readline()
"""
"""Its processes: one that ends with it, and two that do not."""


@pytest.fixture
def tmpdir(tmp_path: Path) -> Path:
    return tmp_path


class Running:
    """A run in another process."""

    def __init__(self, tmpdir: Path) -> None:
        environment = os.environ | {"TMPDIR": str(tmpdir)}
        environment.pop(scratch.RUN, None)
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN], env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        words = self.process.stdout.readline().split()
        self.folders = [Path(word) for word in words[:2]]
        self.children = [psutil.Process(int(word)) for word in words[2:]]
        self.children += self.children[1].children()

    def left(self) -> list[object]:
        running = [one for one in self.children if one.is_running() and one.status() != "zombie"]
        return [path for path in self.folders if path.exists()] + running


@pytest.fixture
def start(tmpdir: Path) -> Iterator[Callable[[], Running]]:
    started: list[Running] = []

    def run() -> Running:
        started.append(Running(tmpdir))
        return started[-1]

    yield run
    for one in started:
        one.process.kill()
        one.process.communicate()
        for child in one.children:
            with suppress(psutil.NoSuchProcess):
                child.kill()


def sweep(tmpdir: Path) -> None:
    code = "from wirecost.system import scratch; scratch.sweep()"
    environment = os.environ | {"TMPDIR": str(tmpdir)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_a_run_that_ends_leaves_nothing(start: Callable[[], Running]) -> None:
    run = start()
    assert len(run.left()) == 5
    run.process.communicate("\n", timeout=20)
    assert run.left() == []
    (runs,) = {path.parent.parent for path in run.folders[:1]}
    assert list(runs.iterdir()) == []


def test_what_a_killed_run_left_goes_with_the_next_one(
    start: Callable[[], Running], tmpdir: Path
) -> None:
    killed, living = start(), start()
    killed.process.kill()
    killed.process.wait()
    child = killed.children[0]
    until(lambda: not child.is_running() or child.status() == "zombie")
    assert len(killed.left()) == 4
    sweep(tmpdir)
    assert killed.left() == []
    assert len(living.left()) == 5
    living.process.communicate("\n", timeout=20)
    assert living.left() == []


def test_a_stopped_run_is_alive(start: Callable[[], Running], tmpdir: Path) -> None:
    run = start()
    run.process.send_signal(signal.SIGSTOP)
    sweep(tmpdir)
    assert len(run.left()) == 5
    run.process.send_signal(signal.SIGCONT)


def test_children_use_the_folder_of_the_run(tmp_path: Path) -> None:
    code = """
import os, subprocess, sys
from wirecost.system import scratch
with scratch.run():
    child = "from wirecost.system import scratch as s; print(s.make('x'), flush=True)"
    child += "; import os; os._exit(0)"
    made = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout
    print(made.strip().startswith(os.environ["WIRECOST_RUN"] + "/x-"), os.path.isdir(made.strip()))
    folder = made.strip()
print(os.path.isdir(folder), scratch.RUN in os.environ)
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = execute([sys.executable, "-c", code], env=environment, check=True)
    assert done.stdout.split() == ["True", "True", "False", "False"]


def test_a_name_in_the_environment_that_is_no_run_is_not_used(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    code = "from wirecost.system import scratch; print(scratch.make('x'))"
    environment = os.environ | {"TMPDIR": str(tmp_path), scratch.RUN: str(other)}
    done = execute([sys.executable, "-c", code], env=environment, check=True)
    assert not done.stdout.startswith(str(other))
    assert list(other.iterdir()) == []


def test_the_folder_is_this_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    parent = scratch._parent()
    for folder in (parent, parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    parent.rmdir()
    parent.parent.rmdir()
    parent.parent.symlink_to("/tmp")
    with pytest.raises(UserError, match="remove it"):
        scratch._parent()


def test_another_users_lock_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to make a file of another user")
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    parent = scratch._parent()
    (parent / "1-a").mkdir()
    lock = parent / "1-a.lock"
    lock.touch()
    os.chown(lock, 12345, 12345)
    scratch.sweep()
    assert lock.exists() and (parent / "1-a").is_dir()
    os.chown(lock, 0, 0)
    scratch.sweep()
    assert list(parent.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be a second user")
def test_runs_of_a_container_are_no_dead_ones_of_ours(tmpdir: Path) -> None:
    """They have folders of the same name, which are not the same."""
    script = f"mount -t tmpfs none {tmpdir} && mkdir -p {tmpdir}/wirecost-0/runs && exec sleep 1000"
    name = f"{tmpdir}/wirecost-{os.getuid()}/runs/7-abc"
    theirs = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script], env=os.environ | {scratch.RUN: name}
    )
    try:
        until(lambda: psutil.Process(theirs.pid).name() == "sleep")
        environment = {**os.environ, "TMPDIR": str(tmpdir)}
        environment.pop(scratch.RUN, None)
        sweep = "from wirecost.system import scratch\nwith scratch.run():\n    pass"
        subprocess.run([sys.executable, "-c", sweep], env=environment, check=True)
        assert theirs.poll() is None
    finally:
        theirs.kill()
        theirs.wait()


def test_nothing_is_written_to_find_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv(scratch.RUN, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", lambda: pytest.fail("it was written to"))
    with scratch.run(), scratch.folder("a") as made:
        assert made.is_relative_to(tmp_path)
