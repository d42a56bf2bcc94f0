# SPDX-License-Identifier: Apache-2.0
"""Functions that the ROS 1 hook takes over are Debian's roscpp's, argument types included."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import execute
from wirecost.observe.probe.run.environment import PROBE
from wirecost.observe.probe.run.hook import library
from wirecost.observe.probe.run.hooks.ros1 import LIBRARY
from wirecost.system.errors import UserError

ROSCPP = Path("/usr/lib/x86_64-linux-gnu/libroscpp.so.4d")


def functions(path: Path) -> set[str]:
    """Return the functions that a library exports, by their mangled names."""
    done = execute(["nm", "-D", "--defined-only", path], check=True)
    words = (line.split() for line in done.stdout.splitlines())
    return {word[2] for word in words if len(word) == 3 and word[1] in "TW"}


def test_everything_it_has_replaces_a_function_of_roscpp() -> None:
    if not ROSCPP.exists():
        pytest.skip("needs Debian's libroscpp of x86-64")
    replaced = functions(library(LIBRARY))
    assert len(replaced) == 19
    assert replaced <= functions(ROSCPP)


def test_a_program_without_roscpp_runs_with_it(tmp_path: Path) -> None:
    done = execute(
        ["/bin/sh", "-c", "echo $((1 + 1)); exit 3"],
        env={"LD_PRELOAD": str(library(LIBRARY)), "WIRECOST_PROBE": str(tmp_path)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "2\n", "")
    assert not list(tmp_path.iterdir())


def test_libraries_lie_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library(PROBE).parent == library(LIBRARY).parent
    monkeypatch.setenv("WIRECOST_HOOKS", str(tmp_path))
    with pytest.raises(UserError, match="this file is missing; install wirecost again"):
        library(LIBRARY)
    (tmp_path / "with space").mkdir()
    (tmp_path / "with space" / LIBRARY).touch()
    monkeypatch.setenv("WIRECOST_HOOKS", str(tmp_path / "with space"))
    with pytest.raises(UserError, match="does not accept a path with spaces"):
        library(LIBRARY)
