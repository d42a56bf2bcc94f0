# SPDX-License-Identifier: Apache-2.0
"""Logs that are harmed while recorded into: the program goes on to its own end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

from support.programs import execute
from wirecost.results.records.probe_log import read_logs

BUILT = Path(__file__).parents[3] / "build" / "cmake" / "tests" / "cpp"
PROGRAM = BUILT / "probe" / "probe_recorder"
HEADER, RECORD = 20480, 128
THREADS, COUNT = 4, 500
SEED = 20260731


def environment(logs: Path, **more: str) -> dict[str, str]:
    named = {"WIRECOST_PROBE": str(logs), "WIRECOST_PROBE_COUNTERS": "none"}
    # The sanitizer has a handler of its own, which would come first otherwise.
    return os.environ | {"ASAN_OPTIONS": "handle_sigbus=0"} | named | more


def ran(logs: Path, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    return execute([PROGRAM, *map(str, arguments)], env=environment(logs, **more), timeout=120)


@pytest.mark.parametrize(
    "bytes_left",
    [0, 1, 100, 4096, HEADER - 1, HEADER, HEADER + 64, HEADER + 100 * RECORD + 7, HEADER + 65536],
)
def test_a_log_that_is_cut_takes_nobody_with_it(bytes_left: int, tmp_path: Path) -> None:
    # Long enough that the second half reaches pages that are gone, wherever the cut is.
    count = 2000
    done = ran(tmp_path, "cut", THREADS, count, bytes_left, WIRECOST_PROBE_SIZE="1M")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "done"
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"wirecost probe: {tmp_path}")
    assert "cut while it" in line
    sizes = {path.stat().st_size for path in tmp_path.iterdir()}
    assert sizes == {bytes_left}
    if bytes_left < HEADER:
        return
    whole = (bytes_left - HEADER) // RECORD
    for log in read_logs([tmp_path]):
        assert len(log.records) == min(whole, count)
        assert log.records["loop"].tolist() == list(range(len(log.records)))


def test_the_kernel_ends_the_program_where_the_handler_is_kept_away(tmp_path: Path) -> None:
    """The program ended so before, which shows that the tests above can fail."""
    done = ran(tmp_path, "cut", 1, COUNT, 0, WIRECOST_PROBE_SIGBUS="off")
    assert done.returncode == -signal.SIGBUS


@pytest.mark.parametrize(
    ("handler", "printed"),
    [("information", "its own page\ndone\n"), ("plain", "a signal\ndone\n")],
)
def test_other_memory_is_left_to_the_handler_before(
    handler: str, printed: str, tmp_path: Path
) -> None:
    done = ran(tmp_path, "fault", handler)
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")
    (log,) = read_logs([tmp_path])
    assert len(log.records) == 4


@pytest.mark.parametrize(
    ("what", "handler", "printed"),
    [
        ("fault", "none", ""),
        ("fault", "once", "once\n"),
        ("fault", "ignore", ""),
        ("signal", "none", ""),
    ],
)
def test_other_memory_ends_the_program_as_without_probes(
    what: str, handler: str, printed: str, tmp_path: Path
) -> None:
    without = ran(Path(), what, handler, WIRECOST_PROBE="")
    done = ran(tmp_path, what, handler)
    assert without.returncode == done.returncode == -signal.SIGBUS
    assert without.stdout == done.stdout == printed
    (log,) = read_logs([tmp_path])
    assert len(log.records) == 2


def test_a_signal_that_the_program_ignores_stays_ignored(tmp_path: Path) -> None:
    done = ran(tmp_path, "signal", "ignore")
    assert (done.returncode, done.stdout) == (0, "done\n")


def test_the_handler_goes_with_the_last_log(tmp_path: Path) -> None:
    assert ran(tmp_path, "left").stdout == "default\ndone\n"


def harm(file: Path, chance: random.Random) -> None:
    """Harm a file as another program may that can write it."""
    size = file.stat().st_size
    what = chance.choice(["cut", "cut", "grow", "header", "anywhere", "hole", "remove"])
    if what == "cut":
        os.truncate(file, chance.randrange(size + 1))
    elif what == "grow":
        os.truncate(file, chance.randrange(4 << 20))
    elif what == "remove":
        file.unlink()
    else:
        with file.open("r+b") as opened:
            opened.seek(chance.randrange({"header": 4096, "hole": size}.get(what, HEADER + 65536)))
            opened.write(bytes(8192) if what == "hole" else chance.randbytes(64))


def harmed(logs: Path, program: subprocess.Popen[str], chance: random.Random) -> int:
    done = 0
    while program.poll() is None:
        for file in list(logs.glob("*.wprobe")):
            with suppress(OSError, ValueError):
                harm(file, chance)
                done += 1
        time.sleep(0.001)
    return done


@pytest.mark.parametrize("seed", range(5))
def test_random_harm_while_many_threads_record(seed: int, tmp_path: Path) -> None:
    chance = random.Random(SEED + seed)
    with subprocess.Popen(
        [PROGRAM, "threads", str(THREADS), "200000"],
        env=environment(tmp_path, WIRECOST_PROBE_SIZE="4M"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        count = harmed(tmp_path, program, chance)
        out, error = program.communicate(timeout=60)
    assert program.returncode == 0, error
    assert out == "done\n"
    assert count > 0
    assert only_ours(error.splitlines())


def only_ours(lines: Iterable[str]) -> bool:
    return all(line.startswith("wirecost probe: ") for line in lines)


IN_PYTHON = """
import os, pathlib, sys
from wirecost.probe import Section
section = Section("work")
def work(count):
    for _ in range(count):
        with section:
            pass
work(10)
(log,) = pathlib.Path(os.environ["WIRECOST_PROBE"]).iterdir()
os.truncate(log, int(sys.argv[1]))
work(2000)
print("done")
"""


@pytest.mark.parametrize("bytes_left", [0, HEADER + 3 * RECORD + 5])
def test_python_goes_on_as_well(bytes_left: int, tmp_path: Path) -> None:
    done = execute(
        [sys.executable, "-c", IN_PYTHON, str(bytes_left)], env=environment(tmp_path), timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    (line,) = done.stderr.splitlines()
    assert "cut while it" in line
