# SPDX-License-Identifier: Apache-2.0
"""The bare machine: what a command finds on it, and that nothing of it stays."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from support.programs import execute

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "setup" / "bare"
PATIENCE_S = 60

pytestmark = pytest.mark.skipif(
    shutil.which("mmdebstrap") is None or os.geteuid() != 0,
    reason="needs root and mmdebstrap: apt-get install mmdebstrap",
)


@pytest.fixture(scope="module", autouse=True)
def made() -> None:
    """Make the root's tarball, in the first run."""
    done = execute([PROGRAM, "true"])
    assert done.returncode == 0, done.stderr


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WIRECOST_MARK": "of this machine"}
    return execute([PROGRAM, *command], env=environment, input="typed\n")


def test_a_command_finds_tracked_files_and_nothing_else() -> None:
    done = run("sh", "-c", "env; ls -A; mount; cat")
    assert done.returncode == 0, done.stderr
    assert "README.md" in done.stdout.splitlines()
    assert ".venv" not in done.stdout.splitlines()
    assert "WIRECOST_MARK" not in done.stdout
    assert "PYTHONDONTWRITEBYTECODE" not in done.stdout
    assert done.stdout.endswith("typed\n")


def test_its_packages_are_those_that_the_readme_lists() -> None:
    done = run(
        "sh", "-c", "command -v make; command -v python3 || command -v g++ || command -v git"
    )
    assert done.stdout == "/usr/bin/make\n"


def test_its_exit_status_is_the_commands() -> None:
    assert run("sh", "-c", "exit 7").returncode == 7


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ((), "name a command, such as: setup/bare make run"),
        (("--with", "nothing.whl", "true"), "--with nothing.whl: no such file"),
        (("--debian", "11", "true"), "--debian 11: there are 12 and 13"),
    ],
)
def test_a_wrong_call_is_a_fault_with_its_remedy(words: tuple[str, ...], reported: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stderr == f"setup/bare: {reported}\n"


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
    """Return an argument by which a test's processes are found; end those that stay."""
    one = f"mark-{secrets.token_hex(8)}"
    yield one
    for process in processes(one):
        process.kill()


VICTIMS = {
    "setup/bare": ("bash", "setup/bare"),
    "unshare": ("unshare", "--mount"),
    "first process": ("bash", "setup/bare-inside"),
}
"""Whom a test kills: a process's name, and the end of its first argument."""


@pytest.mark.parametrize(
    ("victim", "sent"),
    [
        ("setup/bare", signal.SIGKILL),
        ("setup/bare", signal.SIGTERM),
        ("unshare", signal.SIGKILL),  # it leaves SIGTERM to its command
        ("first process", signal.SIGKILL),
        ("first process", signal.SIGTERM),
    ],
)
def test_nothing_stays_when_it_is_killed(victim: str, sent: signal.Signals, mark: str) -> None:
    before = left()
    command = ["sh", "-c", "touch /started; setsid sleep 600 & wait", mark]
    machine = subprocess.Popen([PROGRAM, *command], stderr=subprocess.DEVNULL)
    try:
        begun = started(machine.pid)
        name, argument = VICTIMS[victim]
        chosen = next(p for p, (n, a) in begun.items() if n == name and a.endswith(argument))
        chosen.send_signal(sent)
        machine.wait(PATIENCE_S)
    finally:
        machine.kill()
    _, alive = psutil.wait_procs(list(begun), timeout=PATIENCE_S)
    assert alive == []
    assert processes(mark) == []
    assert left() == before


def started(pid: int) -> dict[psutil.Process, tuple[str, str]]:
    """Return the machine's processes, outermost first, with name and first argument.

    The command's own process runs by then. Others come and go meanwhile."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found: dict[psutil.Process, tuple[str, str]] = {}
        with suppress(psutil.NoSuchProcess):
            machine = psutil.Process(pid)
            for process in (machine, *machine.children(recursive=True)):
                found[process] = (process.name(), [*process.cmdline(), "", ""][1])
            if any(name == "sleep" for name, _ in found.values()):
                return found
        time.sleep(0.05)
    raise AssertionError("it did not start")


def test_the_wheel_needs_python_alone(wheel: Path) -> None:
    done = run("--with", str(wheel), "tests/wheel/commands")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("wheel work\n")


@pytest.mark.thorough
@pytest.mark.parametrize("debian", ["12", "13"])
def test_pip_builds_the_source_distribution_with_a_compiler_alone(
    debian: str, tmp_path: Path
) -> None:
    script = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    execute([sys.executable, "-c", script, tmp_path], cwd=ROOT, check=True)
    (source,) = tmp_path.glob("wirecost-*.tar.gz")
    done = run("--debian", debian, "--with", str(source), "tests/wheel/source")
    assert done.stdout.endswith("== all that the source distribution has works\n"), done.stderr
