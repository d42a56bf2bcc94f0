# SPDX-License-Identifier: Apache-2.0
"""One line for a package that an installation lacks, before any work is done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import execute

DATA = Path(__file__).parents[1] / "data"
RESULTS = str(DATA / "results" / "osi")
BRINGS = {
    "nanobind_backend": "wirecost: pip install wirecost, without --no-deps",
    "fmpy": "the extra fmi: pip install 'wirecost[fmi]'",
    "vl_convert": "the extra figures: pip install 'wirecost[figures]'",
}


def wirecost(package: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in ``folder``, in which Python cannot import a package."""
    (folder / "sitecustomize.py").write_text(f"import sys; sys.modules[{package!r}] = None\n")
    command = [Path(sys.executable).with_name("wirecost"), *words]
    return execute(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)})


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("nanobind_backend", ("bench", "osi")),
        ("fmpy", ("bench", "osi")),
        ("fmpy", ("trace", "play", "x.osi", "--fmu", "x.fmu")),
        ("vl_convert", ("report", RESULTS, "--format", "svg")),
        ("vl_convert", ("doctor", "--report", "figure.png")),
    ],
)
def test_the_line_says_what_brings_it(package: str, words: tuple[str, ...], tmp_path: Path) -> None:
    done = wirecost(package, tmp_path, *words)
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"wirecost: {package} is not installed; it comes with {BRINGS[package]}\n"
    assert not (DATA / "results" / "osi" / "figures").exists()


def test_a_page_needs_nothing_that_draws(tmp_path: Path) -> None:
    done = wirecost("vl_convert", tmp_path, "doctor", "--report", "page.html")
    assert "not installed" not in done.stderr
    assert "vegaEmbed" in (tmp_path / "page.html").read_text()
