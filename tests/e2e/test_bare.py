# SPDX-License-Identifier: Apache-2.0
"""The bare machine: what a command finds on it, and that nothing of it stays."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "setup" / "bare"
PATIENCE_S = 60

pytestmark = pytest.mark.skipif(
    shutil.which("mmdebstrap") is None or os.geteuid() != 0,
    reason="needs root and mmdebstrap: apt-get install mmdebstrap",
)


@pytest.fixture(scope="module", autouse=True)
def made() -> None:
    """The root's tarball, which the first run makes."""
    done = subprocess.run([PROGRAM, "true"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WIRECOST_MARK": "of this machine"}
    return subprocess.run(
        [PROGRAM, *command],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        input="typed\n",
    )


def test_a_command_finds_tracked_files_and_nothing_else() -> None:
    done = run("sh", "-c", "env; ls -A; mount; cat")
    assert done.returncode == 0, done.stderr
    assert "README.md" in done.stdout.splitlines()
    assert ".venv" not in done.stdout.splitlines()
    assert "WIRECOST_MARK" not in done.stdout
    assert "PYTHONDONTWRITEBYTECODE" not in done.stdout
    assert str(ROOT) not in done.stdout
    assert done.stdout.endswith("typed\n")


def test_its_packages_are_those_a_reader_is_told_to_have() -> None:
    done = run(
        "sh", "-c", "command -v make; command -v python3 || command -v g++ || command -v git"
    )
    assert done.stdout == "/usr/bin/make\n"


def test_its_exit_status_is_the_commands() -> None:
    assert run("sh", "-c", "exit 7").returncode == 7


def test_no_command_is_a_fault_with_its_remedy() -> None:
    done = run()
    assert done.returncode == 2
    assert done.stderr == "setup/bare: name a command, such as: setup/bare make run\n"


def processes(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if mark in " ".join(process.info["cmdline"] or []):
            found.append(process)
    return found


def left() -> tuple[list[str], list[Path]]:
    """Mounts, and files in the checkout, that a bare machine could leave."""
    mounts = Path("/proc/mounts").read_text().splitlines()
    files = [p for p in (ROOT / "build" / "bare").rglob("*") if p.suffix != ".log"]
    return sorted(mounts), sorted(files)


@pytest.fixture
def mark() -> Iterator[str]:
    """An argument by which a test's processes are found; ends those that stay."""
    one = f"mark-{secrets.token_hex(8)}"
    yield one
    for process in processes(one):
        process.kill()


def victims() -> dict[str, Callable[[list[psutil.Process]], psutil.Process]]:
    """Whom a test may kill: processes by their command line's beginning."""
    return {
        "setup/bare": lambda all_: next(p for p in all_ if "setup/bare" in p.cmdline()[1]),
        "unshare": lambda all_: next(p for p in all_ if p.name() == "unshare"),
        "first process": lambda all_: next(p for p in all_ if "setup/bare-inside" in p.cmdline()),
    }


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
@pytest.mark.parametrize("victim", victims())
def test_nothing_stays_when_it_is_killed(victim: str, sent: signal.Signals, mark: str) -> None:
    if victim == "unshare" and sent == signal.SIGTERM:
        sent = signal.SIGKILL  # it lets its command decide on SIGTERM
    before = left()
    command = ["sh", "-c", "touch /started; setsid sleep 600 & wait", mark]
    with subprocess.Popen([PROGRAM, *command], stderr=subprocess.DEVNULL) as machine:
        deadline = time.monotonic() + PATIENCE_S
        while not any(p.name() == "sleep" for p in descendants(machine.pid)):
            assert time.monotonic() < deadline, "it did not start"
            time.sleep(0.05)
        begun = descendants(machine.pid)
        victims()[victim]([psutil.Process(machine.pid), *begun]).send_signal(sent)
        machine.wait(PATIENCE_S)
    _, alive = psutil.wait_procs(begun, timeout=PATIENCE_S)
    assert alive == []
    assert processes(mark) == []
    assert left() == before


def descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def test_the_wheel_needs_python_alone(wheel: Path) -> None:
    done = run("--with", str(wheel), "tests/wheel/commands")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("all commands of the wheel work\n")
