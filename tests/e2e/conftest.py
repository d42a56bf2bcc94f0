# SPDX-License-Identifier: Apache-2.0
"""The command line as a user drives it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def wirecost() -> Run:
    """``wirecost("bench", "osi", …)``: the installed command in a process of its own."""
    program = Path(sys.executable).with_name("wirecost")

    def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(program), *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd
        )

    return run


@pytest.fixture(scope="session")
def bench(wirecost: Run) -> Callable[..., dict[str, Any]]:
    """``bench(folder, options…)``: the ``--json`` document of a run into ``folder``."""

    def run(out: Path, *options: str) -> dict[str, Any]:
        done = wirecost("bench", "osi", "--out", out, "--json", "-", *options)
        assert done.returncode == 0, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    return run


@pytest.fixture(scope="session")
def wheel() -> Path:
    """That of WIRECOST_WHEEL, else the one that setup/test made."""
    named = os.environ.get("WIRECOST_WHEEL")
    found = [Path(named)] if named else sorted((ROOT / "build" / "dist").glob("wirecost-*.whl"))
    if not found:
        pytest.skip("no wheel in build/dist; `make wheel` makes it")
    return found[0].resolve()
