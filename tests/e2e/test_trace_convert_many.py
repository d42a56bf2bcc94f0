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

from support import needs

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


@pytest.fixture(autouse=True)
def _engine() -> None:
    needs.package("distributed")


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
    """Standard error has progress, failures and warnings, and nothing else of any process."""
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status, stderr
    assert [line for line in stderr.splitlines() if not OURS.match(line)] == []
    document: dict[str, Any] = json.loads(stdout)
    return document


def working_on(process: subprocess.Popen[str], name: str) -> psutil.Process:
    """The worker that has this trace open, once there is one."""
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
        assert f"40 of 40 traces converted; {sum(range(41)):,} frames" in done.stdout
        assert f"workers: {workers}; largest memory of one" in done.stdout
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
    assert "its worker was killed 3 times" in text
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
    assert stderr.splitlines()[-1] == "wirecost: interrupted by SIGINT"
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
    assert text.endswith("needs more memory than there is; give more --memory")
    assert document["converted"] == SHORT + 1
    assert document["memory_limit_bytes"] == MEMORY
    assert len(document["memory_peak_bytes"]) == int(workers)


def test_the_peak_of_a_long_trace_stays_below_the_limit(start: Start) -> None:
    document = result(start("--memory", f"{MEMORY >> 20}MiB"), 0)
    assert SLOW_FRAMES * SLOW_FRAME > 5 * MEMORY
    assert 0 < max(document["memory_peak_bytes"]) <= MEMORY


def test_too_little_memory_is_refused(start: Start, tmp_path: Path) -> None:
    process = start("--memory", "100MiB")
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "--memory: too little to begin with; give at least" in stderr
    assert outputs(tmp_path / "out") == set()


def test_nothing_listens_beyond_this_machine(start: Start) -> None:
    process = start()
    working_on(process, SLOW)
    me = psutil.Process(process.pid)
    listening = [
        connection.laddr.ip
        for one in (me, *me.children(recursive=True))
        for connection in one.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert set(listening) == {"127.0.0.1"}


def test_a_configuration_of_dask_for_other_work_changes_nothing(
    start: Start, fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dask"
    folder.mkdir()
    (folder / "mine.yaml").write_text(OTHER_CONFIGURATION)
    monkeypatch.setenv("DASK_CONFIG", str(folder))
    (fleet / SLOW).unlink()
    document = result(start(), 0)
    assert (document["converted"], document["workers_replaced"]) == (SHORT, 0)
    assert outputs(tmp_path / "out") == expected(fleet)


def test_progress_and_failures_go_to_standard_error(
    wirecost: Run, fleet: Path, tmp_path: Path
) -> None:
    (fleet / SLOW).write_bytes(b"rubbish that is no trace")
    done = wirecost("trace", "convert", f"{fleet}/**/*.osi", tmp_path / "out")
    assert done.returncode == 1
    assert "40 of 41 traces converted, 1 failed" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"failed: {fleet / SLOW}: ")


OTHER_CONFIGURATION = """
logging: {distributed: debug, distributed.scheduler: debug}
temporary-directory: /nonexistent
distributed:
  comm: {require-encryption: false, default-scheme: ucx}
  nanny: {preload: [nothing_of_this_name]}
  scheduler: {preload: [nothing_of_this_name], allowed-failures: 0}
  worker: {preload: [nothing_of_this_name], resources: {GPU: 1}, memory: {terminate: 0.0001}}
"""


WITHOUT = """
import sys
from wirecost.cli import app
sys.modules["distributed"] = None
sys.argv[0] = "wirecost"
try:
    app()
finally:
    assert "dask" not in sys.modules
"""


def test_one_worker_needs_no_dask(fleet: Path, tmp_path: Path) -> None:
    (fleet / SLOW).unlink()
    words = ["trace", "convert", f"{fleet}/**/*.osi", str(tmp_path / "out"), "--type", "SensorView"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    more = [*words[:-3], str(tmp_path / "other"), *words[-2:], "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *more], capture_output=True, text=True, check=False
    )
    says = "--workers: needs dask.distributed; pip install 'wirecost[campaign]'"
    assert done.stderr.splitlines()[-1] == f"wirecost.errors.UserError: {says}"
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--workers", "0"), "--workers 0: give 1 to 1024"),
        (("--resume", "--force"), "--resume and --force: choose one"),
        (("--memory", "much"), "give a size such as 2GiB"),
        (("--format", "bag"), "--format bag: choose one of osi, mcap, txth"),
    ],
)
def test_options_are_checked_first(
    wirecost: Run, fleet: Path, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    done = wirecost("trace", "convert", f"{fleet}/**/*.osi", tmp_path / "out", *options)
    assert done.returncode == 2
    assert says in done.stderr
    assert not (tmp_path / "out").exists()


def test_options_of_many_are_not_for_one(wirecost: Run, fleet: Path, tmp_path: Path) -> None:
    one = next(fleet.rglob("*_sv_.osi"))
    done = wirecost("trace", "convert", one, tmp_path / "out.osi", "--workers", "2")
    assert done.returncode == 2
    assert "--workers: is for several traces" in done.stderr
    done = wirecost("trace", "convert", f"{fleet}/**/*.osi", tmp_path / "out.osi")
    assert done.returncode == 2
    assert "name a folder for several" in done.stderr
