# SPDX-License-Identifier: Apache-2.0
"""Programs with planted causes, recorded and looked at as a user does; the page in a browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.browser import rendered

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "probe"
PLANTED = """
import contextlib, mmap, os, random, subprocess, sys, time
from wirecost.probe import Section, prepare_thread

what = sys.argv[1]
section = Section(what)
prepare_thread()
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
rival = None
if what != "context-switches":
    with contextlib.suppress(PermissionError):  # what else runs is not what was planted
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
else:
    rival = subprocess.Popen([sys.executable, "-c", "while True: pass"])
try:
    for i in range(400):
        size = i * 7919 % 400
        if what == "minor-faults":
            memory = mmap.mmap(-1, 401 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            memory.madvise(mmap.MADV_NOHUGEPAGE)
            with section:
                for page in range(size):
                    memory[page * 4096] = 1
            memory.close()
        elif what == "value":
            with section.run(value=size):
                sum(range(100 * size))
        elif what == "context-switches":
            with section:
                sum(range(50_000))
        else:
            end = time.monotonic_ns() + random.randint(10_000, 200_000)
            with section:
                while time.monotonic_ns() < end:
                    pass
finally:
    if rival is not None:
        rival.kill()
        rival.wait()
"""


def recorded(what: str, folder: Path) -> None:
    environment = os.environ | {"WIRECOST_PROBE": str(folder)}
    environment["WIRECOST_PROBE_COUNTERS"] = "minor-faults,context-switches"
    command = [sys.executable, "-c", PLANTED, what]
    subprocess.run(command, check=True, env=environment, capture_output=True, timeout=120)


def shown(wirecost: Run, folder: Path) -> dict[str, Any]:
    done = wirecost("probe", "show", folder, "--json", "-")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize("what", ["minor-faults", "value", "context-switches"])
def test_a_planted_cause_is_found(wirecost: Run, tmp_path: Path, what: str) -> None:
    found = []
    # A machine that does other work meanwhile can hide a cause once, hardly three times.
    for attempt in range(3):
        recorded(what, tmp_path / str(attempt))
        document = shown(wirecost, tmp_path / str(attempt))
        if document["logs"][0]["counters"]["minor-faults"] == "n/a":
            pytest.skip("the kernel counts nothing for this user")
        (one,) = document["causes"]
        found.append(one)
        if what in [cause["name"] for cause in one["causes"]]:
            return
    pytest.fail(f"not found: {found}")


def test_where_nothing_was_planted_the_time_is_unexplained(wirecost: Run, tmp_path: Path) -> None:
    found = []
    for attempt in range(3):
        recorded("nothing", tmp_path / str(attempt))
        (one,) = shown(wirecost, tmp_path / str(attempt))["causes"]
        found.append(one)
        if one["unexplained_variance"] > 0.9:
            return
    pytest.fail(f"explained: {found}")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    recorded("value", folder)
    return folder


def test_the_page_draws_its_figures_offline(wirecost: Run, logs: Path, tmp_path: Path) -> None:
    page = tmp_path / "probe.html"
    done = wirecost("probe", "show", logs, "--deadline", "0.5", "--report", page)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith(str(page))
    dom, figures = rendered(page, tmp_path)
    assert figures == 5
    for words in ("callback index", "turnaround time [", "p99", "per unit", "median"):
        assert words in dom
    assert "https://" not in page.read_text().split("<script>")[0]
    assert page.stat().st_size < 2_000_000


def test_figures_become_files_of_every_format(wirecost: Run, logs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    done = wirecost("probe", "show", logs, "--figures", folder, "--format", "svg,png,pdf")
    assert done.returncode == 0, done.stderr
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    files = sorted(folder.iterdir())
    assert len(files) == 3 * 5
    assert all(file.read_bytes().startswith(starts[file.suffix]) for file in files)
    assert all(str(file) in done.stdout for file in files)


def commands(example: Path, folder: Path) -> list[str]:
    """Return the commands of the example's header, with logs in ``folder``."""
    lines = [line.lstrip("/ ").rstrip() for line in example.read_text().splitlines()]
    found = [
        line.replace("/dev/shm/callback", str(folder))
        for line in lines
        if line.startswith(("g++", "mkdir", "WIRECOST_PROBE=", "wirecost "))
    ]
    assert len(found) == 3
    return found


@pytest.mark.parametrize("name", ["callback.cpp", "callback.py"])
def test_the_commands_of_an_example_make_its_report(tmp_path: Path, name: str) -> None:
    shutil.copy(EXAMPLES / name, tmp_path)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    if name.endswith(".cpp"):
        build, prefix = ROOT / "build" / "cmake", tmp_path / "prefix"
        install = [
            Path(sys.executable).with_name("cmake"),
            "--install",
            build,
            "--component",
            "dev",
            "--prefix",
            prefix,
        ]
        subprocess.run(install, check=True, capture_output=True)
        environment |= {
            "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig"),
            "LD_LIBRARY_PATH": str(prefix / "lib"),
        }
    for command in commands(EXAMPLES / name, tmp_path / "logs"):
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}: {done.stderr}"
    page = (tmp_path / "callback.html").read_text()
    assert "Probes of" in page
    assert page.count("<figure ") >= 6
    assert ("s verdict: " in page) == name.endswith(".py")
