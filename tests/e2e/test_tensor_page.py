# SPDX-License-Identifier: Apache-2.0
"""The report of ``wirecost bench tensor`` as a browser draws it, exports, and the comparison."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.browser import rendered

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def folder(wirecost: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tensor") / "result"
    done = wirecost(
        "bench", "tensor", "--plugins", "numpy,pint", "--shape", "200x200,8x8", "--trials", "5",
        "--processes", "2",
        "--middlewares", "in-process,shm,raw-zeromq,zeromq", "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "zeromq for 512" in " ".join(done.stdout.split())
    return out


def test_the_page_draws_every_figure(folder: Path, tmp_path: Path) -> None:
    page = folder / "report.html"
    dom, figures = rendered(page, tmp_path)
    # Latency at two sizes, by size for two plugins, stages at two sizes.
    assert figures == 6
    for text in ("One-way latency", "Latency by size", "Where the time goes"):
        assert text in dom, text


def test_figures_and_tables_are_exported(folder: Path, wirecost: Run) -> None:
    done = wirecost("report", folder, "--format", "svg,pdf,md,csv")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 2 * 6 + 2
    text = (folder / "report.md").read_text()
    assert re.search(r"\| zeromq( \| [\d.–]+){9} \|", text)


def test_a_run_is_no_different_from_itself(folder: Path, wirecost: Run) -> None:
    done = wirecost("compare", folder, folder, "--fail-above", "5%")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 slower" in done.stdout
