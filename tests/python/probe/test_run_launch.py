# SPDX-License-Identifier: Apache-2.0
"""Start of a program by ``probe run``: environment, signals, status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.waiting import until
from wirecost.observe.probe.run.environment import FOLDER, hooks_without, prepare
from wirecost.observe.probe.run.hook import Hooked, Request
from wirecost.observe.probe.run.target import Target, find

LAUNCH = """
import sys
from wirecost.probe.run.launch import run
import os
sys.exit(run(sys.argv[1:], os.environ))
"""


class Preloading:
    """A hook of two files that are not there."""

    name = "preloading"
    about = ""

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target, request
        return Hooked((Path("/x/a.so"), Path("/x/b.so")), (Path("/x/c.py"),), {"MINE": "1"})


def launched(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *words], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(("script", "status"), [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
def test_the_status_is_the_programs(script: str, status: int) -> None:
    with launched("sh", "-c", script) as process:
        assert process.wait(20) == status


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1])
def test_signals_reach_the_program(number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    script = f"trap 'echo {name}; exit 3' {name}; echo ready; while :; do sleep 0.02; done"
    with launched("sh", "-c", script) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.read() == f"{name}\n"
        assert process.wait(20) == 3


def test_the_program_ends_with_a_killed_wirecost(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with launched("sh", "-c", f"echo $$ > {file}; exec sleep 60") as process:
        while not file.exists() or not file.read_text():
            time.sleep(0.02)
        process.kill()
    started = Path("/proc") / file.read_text().strip()
    until(lambda: not started.exists())


def test_what_was_preloaded_stays_first(tmp_path: Path) -> None:
    inherited = {"LD_PRELOAD": "/y/theirs.so /y/more.so", "PYTHONPATH": "/y/python"}
    prepared = prepare(find(["true"]), [Preloading()], Request(), tmp_path, inherited)
    assert prepared.environment["LD_PRELOAD"] == "/y/theirs.so:/y/more.so:/x/a.so:/x/b.so"
    assert prepared.environment["PYTHONPATH"].endswith(f"{os.pathsep}/y/python")
    assert prepared.environment["WIRECOST_PROBE_PYTHON"] == "/x/c.py"
    assert prepared.environment["MINE"] == "1"
    assert prepared.environment[FOLDER] == str(tmp_path)
    assert any("before the hooks" in note for note in prepared.notes)


def test_nothing_is_preloaded_where_that_is_refused(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    target = Target(("x",), (Path("/x"),), "it is linked statically")
    prepared = prepare(target, hooks_without(None), Request(), tmp_path, {"A": "1"})
    assert "LD_PRELOAD" not in prepared.environment
    assert prepared.notes[0] == snapshot


def test_the_interpreters_own_sitecustomize_runs_too(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('own')")
    hook, broken = tmp_path / "hook.py", tmp_path / "broken.py"
    hook.write_text("print('hook')")
    broken.write_text("raise ValueError('broken')")

    class Python:
        name = about = "python"

        def prepare(self, target: Target, request: Request) -> Hooked:
            del target, request
            return Hooked(python=(broken, hook))

    inherited = os.environ | {"PYTHONPATH": str(tmp_path)}
    prepared = prepare(find(["/usr/bin/python3"]), [Python()], Request(), tmp_path, inherited)
    done = subprocess.run(
        ["/usr/bin/python3", "-c", "import sitecustomize; print(sitecustomize.__file__)"],
        env=prepared.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["hook", "own", str(tmp_path / "sitecustomize.py")]
    assert done.stderr == snapshot


def test_a_program_is_ended_after_so_long() -> None:
    script = "trap 'echo ended; exit 3' INT; while :; do sleep 0.02; done"
    code = LAUNCH.replace("os.environ)", "os.environ, 1, 0.3)")
    command = [sys.executable, "-c", code, "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (0, "ended\n")
    code = LAUNCH.replace("os.environ)", "os.environ, 1, 20)")
    command = [sys.executable, "-c", code, "sh", "-c", "exit 4"]
    assert subprocess.run(command, timeout=20, check=False).returncode == 4
