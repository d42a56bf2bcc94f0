# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that are ended from outside.

Whatever they had measured is readable, one line and the exit status say what happened, and
nothing is left that the next run does not take away."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from syrupy.assertion import SnapshotAssertion

from attack.arena import Arena
from attack.kills import RESULTS, Kill, Kills
from wirecost.results.records.folder import Results
from wirecost.results.records.journal import NAME
from wirecost.results.records.reading import read_results

LONG = {
    "osi": ("--steps", "100000"),
    "repeated": ("--repetitions", "100000"),
    "classes": ("--repetitions", "10000", "--processes", "5000"),
    "probe": ("--samples", "1000"),
    "heap": ("--rounds", "1000"),
    "cloud": ("--samples", "1000000", "--seconds", "3600"),
    "tensor": ("--trials", "2000", "--middlewares", "shm,zeromq", "--rate", "1000"),
    "notification": ("--repetitions", "100000"),
    "static": ("--rounds", "100000"),
    "codecs": ("--rounds", "10000"),
    "fmi": ("--rounds", "1000", "--sizes", "8B,64MiB"),
}
"""Options by which a command goes on until it is ended."""
LIMIT_S = 300.0


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena() as found:
        yield found


def words(name: str, out: Path, *more: str) -> list[str]:
    return ["bench", name, *RESULTS[name], *more, "--out", str(out)]


def until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def rounds(partial: Path) -> int:
    """Lines with samples in the journal of a run."""
    path = partial / NAME
    if not path.exists():
        return 0
    content = path.read_bytes()
    return content.count(b'"rows":{') + content.count(b'"steps":[')


def start(arena: Arena, name: str, least: int = 1) -> subprocess.Popen[str]:
    """Start a run, and return it when it has measured something."""
    process = arena.start(words(name, arena.out / "r", *LONG[name]))
    until(lambda: rounds(arena.out / ".r.partial") >= least, process)
    return process


def whole(folder: Path) -> Results:
    results = read_results(folder)
    assert len(results.samples) > 0
    return results


ENDED = [
    ("osi", signal.SIGTERM),
    ("tensor", signal.SIGINT),
    ("repeated", signal.SIGINT),
    ("classes", signal.SIGTERM),
    ("probe", signal.SIGTERM),
    ("cloud", signal.SIGHUP),
    ("heap", signal.SIGTERM),
    ("notification", signal.SIGTERM),
    ("static", signal.SIGINT),
    ("codecs", signal.SIGINT),
    ("fmi", signal.SIGINT),
]


@pytest.mark.parametrize(("name", "number"), ENDED, ids=str)
def test_a_signal_ends_in_order(arena: Arena, name: str, number: signal.Signals) -> None:
    process = start(arena, name)
    process.send_signal(number)
    process.send_signal(number)  # an impatient user changes nothing
    _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 128 + number, errors
    assert errors.splitlines()[-1].startswith(f"wirecost: interrupted by {number.name}; ")
    results = whole(arena.out / "r")
    assert results.meta.interrupted == number.name
    assert (arena.out / "r" / "report.html").is_file()
    assert [path.name for path in arena.out.iterdir()] == ["r"]
    assert not list(arena.processes())
    assert not [path for path in arena.tmp.rglob("*") if not path.is_dir()]


@pytest.mark.parametrize("name", ["osi", "tensor"])
def test_a_killed_run_is_brought_to_its_end_by_the_next(arena: Arena, name: str) -> None:
    process = start(arena, name)
    process.kill()
    process.communicate()
    assert not (arena.out / "r").exists()
    had = rounds(arena.out / ".r.partial")
    done = arena.start(words(name, arena.out / "next"))
    _, errors = done.communicate(timeout=LIMIT_S)
    assert done.returncode == 0, errors
    assert f" is in {arena.out / 'r'}\n" in errors
    results = whole(arena.out / "r")
    assert results.meta.interrupted == "killed"
    assert len(results.samples) >= had
    assert sorted(path.name for path in arena.out.iterdir()) == ["next", "r"]
    assert not list(arena.processes())
    assert not [path for path in arena.tmp.rglob("*") if not path.is_dir()]


def test_before_anything_was_measured_a_signal_leaves_nothing(
    arena: Arena, snapshot: SnapshotAssertion
) -> None:
    process = arena.start(words("osi", arena.out / "r"))
    until((arena.out / ".r.partial").exists, process)
    process.terminate()
    _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 143
    # A slow machine has time to report progress.
    assert [line for line in errors.splitlines() if line.startswith("wirecost: ")] == snapshot
    assert not list(arena.out.iterdir())


def test_a_contender_killed_is_reported_and_the_others_are_measured(
    arena: Arena, snapshot: SnapshotAssertion
) -> None:
    more = ("--steps", "2000", "--reflections", "20000")
    process = arena.start(words("osi", arena.out / "r", *more))
    until(lambda: rounds(arena.out / ".r.partial") > 1, process)
    workers = [
        one
        for one in psutil.Process(process.pid).children()
        if "worker_process" in " ".join(one.cmdline())
    ]
    max(workers, key=lambda one: one.pid).kill()
    output, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 1, errors
    assert errors.splitlines()[-1] == snapshot
    results = whole(arena.out / "r")
    failures = [run.failure for run in results.meta.runs]
    assert failures.count(None) == 1
    assert any(failure and "SIGKILL" in failure for failure in failures)
    assert "measured; --tables prints why" in " ".join(output.split())
    assert results.samples["contender"].n_unique() == 1
    assert results.meta.interrupted is False


def test_a_second_run_with_the_same_out_is_refused_at_once(arena: Arena) -> None:
    first = start(arena, "heap")
    begin = time.monotonic()
    second = arena.start(words("heap", arena.out / "r"))
    _, errors = second.communicate(timeout=LIMIT_S)
    assert second.returncode == 2
    assert errors.startswith(f"wirecost: {arena.out / 'r'}: another run")
    assert first.poll() is None
    first.terminate()
    first.communicate(timeout=LIMIT_S)
    whole(arena.out / "r")
    assert time.monotonic() > begin


def test_a_name_taken_meanwhile_loses_nothing(arena: Arena) -> None:
    process = start(arena, "heap")
    (arena.out / "r").mkdir()
    (arena.out / "r" / "theirs").touch()
    process.terminate()
    output, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 143
    mine = arena.out / "r-2"
    assert f" are in {mine}\n" in errors
    assert f"Report: {mine / 'report.html'}" in output
    whole(mine)
    assert [path.name for path in (arena.out / "r").iterdir()] == ["theirs"]


def one_line(process: subprocess.Popen[str]) -> str:
    """Return the one line that a command prints of its end, once it ended in order."""
    _, errors = process.communicate(timeout=LIMIT_S)
    assert "Traceback" not in errors, errors
    assert process.returncode in (0, 1, 2), (process.returncode, errors)
    said = [line for line in errors.splitlines() if line.startswith("wirecost: ")]
    assert len(said) == (process.returncode != 0), (process.returncode, errors)
    return said[0] if said else ""


DISK = 64 << 20
LONGER = {"osi": ("--steps", "5000"), "heap": ("--samples", "20000")}
ROOM = [
    (name, room)
    for name, rooms in {
        "osi": (0, 200 << 10, (8 << 20) + (200 << 10)),
        "heap": (4 << 10,),
        "notification": (40 << 10,),
        "tensor": (8 << 10,),
    }.items()
    for room in rooms
]


@pytest.mark.parametrize(("name", "room"), ROOM)
def test_a_full_disk_loses_nothing_that_was_measured(arena: Arena, name: str, room: int) -> None:
    if not arena.holds:
        pytest.skip("needs root to mount a small file system")
    arena.mount(arena.out, DISK)
    out = arena.within(arena.out)
    with (out / "full").open("wb") as file:
        file.write(bytes(DISK - room - (8 << 10)))
    line = one_line(arena.start(words(name, arena.out / "r", *LONGER.get(name, ()))))
    assert "No space left" in line or "make room" in line, line
    (out / "full").unlink()
    kept = [path for path in out.iterdir() if path.is_dir()]
    assert len(kept) == (" is in " in line or "was kept" in line or "samples are in" in line), line
    for folder in kept:
        whole(folder)
    done = arena.start(words(name, arena.out / "next"))
    _, errors = done.communicate(timeout=LIMIT_S)
    assert done.returncode == 0, errors
    assert not list(out.glob(".*"))
    for folder in out.iterdir():
        whole(folder)


def test_a_full_temporary_folder_is_reported_in_one_line(arena: Arena) -> None:
    if not arena.holds:
        pytest.skip("needs root to mount a small file system")
    arena.mount(arena.tmp, 64 << 10)
    line = one_line(arena.start(words("osi", arena.out / "r")))
    assert "No space left" in line or "make room" in line, line
    assert not list(arena.out.iterdir())


FEW = [("osi", 64), *((name, 24) for name in sorted(RESULTS))]


@pytest.mark.parametrize(("name", "descriptors"), FEW)
def test_few_descriptors_are_reported_in_one_line(
    arena: Arena, name: str, descriptors: int
) -> None:
    limit = ("prlimit", f"--nofile={descriptors}")
    process = arena.start(words(name, arena.out / "r"), before=limit)
    one_line(process)
    if process.returncode == 0:
        whole(arena.out / "r")
    assert not list(arena.out.glob(".*"))
    assert not list(arena.processes())


@pytest.mark.parametrize("name", ["heap", "osi"])
def test_after_a_kill_at_any_moment_the_next_run_works(arena: Arena, name: str) -> None:
    """``python -m attack.kills NAME COUNT`` does it as often as one likes."""
    kills = Kills(name, arena)
    choice = random.Random()
    after = choice.uniform(0, kills.seconds)
    kills.once(Kill(signal.SIGKILL, after, to_child=False), choice)
    kills.once(Kill(signal.SIGSEGV, kills.seconds - after, to_child=True), choice)
