# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: the wheel, and one environment with it that all tests of a run share."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def wheel() -> Path:
    """Return the wheel of WIRECOST_WHEEL, else the one that setup/test made."""
    named = os.environ.get("WIRECOST_WHEEL")
    wheels = [Path(named)] if named else sorted((ROOT / "build" / "dist").glob("wirecost-*.whl"))
    if not wheels:
        pytest.skip("no wheel in build/dist; `make wheel` makes it")
    return wheels[0].resolve()


@pytest.fixture(scope="session")
def installed_wheel(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """Return a fresh environment with the wheel, which tests must not change.

    It draws figures and loads FMUs. Processes of pytest-xdist share it: the first one makes it."""
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        shared = shared.parent
    folder, complete = shared / "installed", shared / "installed.complete"
    with (shared / "installed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            installed([f"{wheel}[figures,fmi]"], folder)
            complete.touch()
    return folder


def installed(requirements: Sequence[str], folder: Path) -> Path:
    """Install distributions into a fresh environment, and return its folder.

    Bytecode is left to the programs: of most modules nobody needs it."""
    subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, *requirements], check=True, timeout=600)
    return folder
