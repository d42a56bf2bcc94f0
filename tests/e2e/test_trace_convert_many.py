# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace convert`` of many traces: workers that are killed, Ctrl-C, --resume."""

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
PATIENCE_S = 120.0
OURS = re.compile(
    r"(failed|warning): | *\d+ %  [\d,]+ of [\d,]+ traces"
    r"|[\d,]+ of [\d,]+ traces converted|/.*/out$"
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
        process = subprocess.Popen(
            command, text=True, start_new_session=True, env={**os.environ, "COLUMNS": "200"},
            **pipes,
        )  # type: ignore[call-overload]  # fmt: skip
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
    assert [line for line in stderr.splitlines() if line and not OURS.match(line)] == []
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
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def expected(fleet: Path) -> set[str]:
    return {str(path.relative_to(fleet).with_suffix(".mcap")) for path in fleet.rglob("*.osi")}


def test_two_workers_give_what_one_gives(wirecost: Run, fleet: Path, tmp_path: Path) -> None:
    (fleet / SLOW).unlink()
    for workers in "12":
        done = wirecost(
            "trace", "convert", f"{fleet}/**/*.osi", tmp_path / workers, "--type", "SensorView",
            "--workers", workers,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert f"converted; {sum(range(41)):,} frames" in done.stdout
    for path in fleet.rglob("*.osi"):
        name = path.relative_to(fleet)
        content = path.read_bytes()
        assert content == (tmp_path / "1" / name).read_bytes()
        assert content == (tmp_path / "2" / name).read_bytes()


def test_a_killed_worker_ends_the_conversion_and_resume_goes_on(
    start: Start, fleet: Path, tmp_path: Path
) -> None:
    process = start()
    working_on(process, SLOW).kill()
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "a worker was killed" in stderr.splitlines()[-1]
    assert outputs(tmp_path / "out") < expected(fleet)
    assert result(start("--resume"), 0)["failed"] == []
    assert outputs(tmp_path / "out") == expected(fleet)


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


def test_progress_and_failures_go_to_standard_error(
    wirecost: Run, fleet: Path, tmp_path: Path
) -> None:
    (fleet / SLOW).write_bytes(b"rubbish that is no trace")
    done = wirecost("trace", "convert", f"{fleet}/**/*.osi", tmp_path / "out")
    assert done.returncode == 1
    assert "converted, 1 failed" in done.stdout
    (line,) = [line for line in done.stderr.splitlines() if "% " not in line]
    assert line.startswith(f"failed: {fleet / SLOW}: ")
