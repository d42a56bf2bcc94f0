# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace convert`` of many traces: workers that are killed, Ctrl-C, memory, --resume."""

from __future__ import annotations

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., "subprocess.Popen[str]"]

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("wirecost")
SHORT = 40
SLOW = "slow_sv_.osi"
SLOW_FRAMES, SLOW_FRAME = 3000, 1 << 20
"""Of zeros, in a sparse file: seconds of work for a worker, and nothing for the disk."""
MEMORY = 400 << 20
PATIENCE_S = 120.0
OURS = re.compile(
    r"(failed|warning|workers): | *\d+ %  [\d,]+ of [\d,]+ traces"
    r"|/.*: [\d,]+ of [\d,]+ traces converted"
)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Path]:
    """40 short traces of different lengths in 4 folders, and a slow one."""
    folder = tmp_path / "fleet"
    for number in range(SHORT):
        path = folder / f"car {number % 4}" / f"{number:02}_sv_.osi"
        path.parent.mkdir(parents=True, exist_ok=True)
        frame = struct.pack("<I", 6) + bytes([18, 4, 8, number + 1, 16, 1])  # a timestamp
        path.write_bytes(frame * (number + 1))
    with (folder / SLOW).open("wb") as file:
        for _ in range(SLOW_FRAMES):
            file.write(struct.pack("<I", SLOW_FRAME))
            file.seek(SLOW_FRAME, os.SEEK_CUR)
        file.truncate(file.tell())
    yield folder
    # Where files are in memory, its zeros are as well, once a worker has read them.
    (folder / SLOW).unlink(missing_ok=True)


@pytest.fixture
def start(fleet: Path, tmp_path: Path) -> Iterator[Start]:
    """``start(options…)``: the fleet is converted to ``out``, in a process group of its own."""
    running: list[subprocess.Popen[str]] = []

    def begin(*options: str) -> subprocess.Popen[str]:
        command = [
            str(PROGRAM), "trace", "convert", f"{fleet}/**/*.osi", str(tmp_path / "out"),
            "--type", "SensorView", "--format", "mcap", "--workers", "2", "--json", "-", *options,
        ]  # fmt: skip
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, text=True, start_new_session=True, **pipes)  # type: ignore[call-overload]
        running.append(process)
        return process  # type: ignore[no-any-return]

    yield begin
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def result(process: subprocess.Popen[str], status: int) -> dict[str, Any]:
    """Return the result.

    Standard error has progress, failures and warnings, and nothing else of any process."""
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status, stderr
    assert [line for line in stderr.splitlines() if not OURS.match(line)] == []
    document: dict[str, Any] = json.loads(stdout)
    return document


def working_on(process: subprocess.Popen[str], name: str) -> psutil.Process:
    """Return the worker that has this trace open, once there is one."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        for child in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.Error, OSError):
                if f"/{name}\n" in Path(f"/proc/{child.pid}/maps").read_text():
                    return child
        time.sleep(0.02)
    raise AssertionError(f"nobody works on {name}")


def outputs(folder: Path) -> set[str]:
    """Everything that is there but the journal."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".wirecost-convert")
    }


def expected(fleet: Path) -> set[str]:
    return {str(path.relative_to(fleet).with_suffix(".mcap")) for path in fleet.rglob("*.osi")}


def test_two_workers_give_what_one_gives(wirecost: Run, fleet: Path, tmp_path: Path) -> None:
    (fleet / SLOW).unlink()
    for workers in "12":
        done = wirecost(
            "trace", "convert", f"{fleet}/**/*.osi", tmp_path / workers, "--type", "SensorView",
            "--workers", workers, "--memory", f"{MEMORY >> 20}MiB",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert f"converted; {sum(range(41)):,} frames" in done.stdout
        assert f"workers: {workers}; " in done.stdout
    for path in fleet.rglob("*.osi"):
        name = path.relative_to(fleet)
        content = path.read_bytes()
        assert content == (tmp_path / "1" / name).read_bytes()
        assert content == (tmp_path / "2" / name).read_bytes()


def test_a_trace_whose_worker_is_killed_is_converted_by_another(
    start: Start, fleet: Path, tmp_path: Path
) -> None:
    process = start()
    working_on(process, SLOW).kill()
    document = result(process, 0)
    assert (document["converted"], document["failed"]) == (SHORT + 1, [])
    assert document["frames"] == SLOW_FRAMES + sum(range(SHORT + 1))
    assert document["workers_replaced"] == 1
    assert outputs(tmp_path / "out") == expected(fleet)


def test_a_trace_whose_workers_are_always_killed_fails_alone(
    start: Start, fleet: Path, tmp_path: Path
) -> None:
    process = start()
    for _ in range(3):
        worker = working_on(process, SLOW)
        worker.kill()
        worker.wait()
    document = result(process, 1)
    ((name, text),) = [one.values() for one in document["failed"]]
    assert name == str(fleet / SLOW)
    assert "killed 3 times" in text
    assert document["converted"] == SHORT
    assert outputs(tmp_path / "out") == expected(fleet) - {"slow_sv_.mcap"}


def test_ctrl_c_ends_everything_and_resume_goes_on(
    start: Start, fleet: Path, tmp_path: Path
) -> None:
    process = start()
    working_on(process, SLOW)
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert stderr.splitlines()[-1].endswith("interrupted by SIGINT")
    assert "Traceback" not in stderr
    assert not psutil.wait_procs(family, timeout=10)[1]
    done = outputs(tmp_path / "out")
    assert done < expected(fleet)
    document = result(start("--resume"), 0)
    assert document["converted"] + document["finished_before"] == SHORT + 1
    assert document["finished_before"] <= len(done)
    assert outputs(tmp_path / "out") == expected(fleet)
    assert result(start("--resume"), 0)["converted"] == 0


def test_a_killed_command_leaves_no_worker_and_resume_goes_on(
    start: Start, fleet: Path, tmp_path: Path
) -> None:
    process = start()
    working_on(process, SLOW)
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    assert not psutil.wait_procs(family, timeout=30)[1]
    assert outputs(tmp_path / "out") < expected(fleet)
    assert result(start("--resume"), 0)["failed"] == []
    assert outputs(tmp_path / "out") == expected(fleet)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_workers_keep_to_their_memory(start: Start, fleet: Path, workers: str) -> None:
    """The slow trace has 3 GB in small frames; another one has a frame that is too large."""
    with (fleet / "large_sv_.osi").open("wb") as file:
        file.write(struct.pack("<I", MEMORY))
        file.truncate(4 + MEMORY)
    document = result(start("--memory", f"{MEMORY >> 20}MiB", "--workers", workers), 1)
    ((name, text),) = [one.values() for one in document["failed"]]
    assert name == str(fleet / "large_sv_.osi")
    assert text.endswith("give more --memory")
    assert document["converted"] == SHORT + 1
    assert document["memory_limit_bytes"] == MEMORY
    assert len(document["memory_peak_bytes"]) == int(workers)


def test_the_peak_of_a_long_trace_stays_below_the_limit(start: Start) -> None:
    document = result(start("--memory", f"{MEMORY >> 20}MiB"), 0)
    assert SLOW_FRAMES * SLOW_FRAME > 5 * MEMORY
    assert 0 < max(document["memory_peak_bytes"]) <= MEMORY


def test_what_a_killed_worker_printed_last_is_in_the_message(
    start: Start, fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(DYING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (fleet / SLOW).write_bytes(b"")
    document = result(start(), 1)
    ((_, text),) = [one.values() for one in document["failed"]]
    assert "(it printed: " in text
    assert "broken heap" in text
    assert document["workers_replaced"] == 3


def test_progress_and_failures_go_to_standard_error(
    wirecost: Run, fleet: Path, tmp_path: Path
) -> None:
    (fleet / SLOW).write_bytes(b"rubbish that is no trace")
    done = wirecost("trace", "convert", f"{fleet}/**/*.osi", tmp_path / "out")
    assert done.returncode == 1
    assert "converted, 1 failed" in done.stdout
    (line,) = [line for line in done.stderr.splitlines() if "% " not in line]
    assert line.startswith(f"failed: {fleet / SLOW}: ")


DYING = f"""
import os
from pathlib import Path
from wirecost.traces.batch import work

convert = work._converted

def dying(job, options):
    if job.source.path.name == {SLOW!r}:
        os.write(2, b"broken heap\\x1b[31m\\n\\n")
        os.abort()
    return convert(job, options)

work._converted = dying
"""
"""Loaded by each process as it starts: a worker dies of one trace, as in a library."""
