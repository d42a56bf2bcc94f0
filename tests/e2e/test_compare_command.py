# SPDX-License-Identifier: Apache-2.0
"""``wirecost compare`` as a user drives it: on real runs, and on one made slower."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CHROMIUM = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
    "--virtual-time-budget=10000",
]  # fmt: skip


@pytest.fixture(scope="module")
def run(wirecost: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("compare") / "run"
    done = wirecost(
        "bench", "lists", "--list", "radar-detection", "--count", "10", "--repetitions", "10",
        "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def slower(run: Path) -> Path:
    """The same run with Protobuf's encoding three times slower."""
    out = run.with_name("slower")
    shutil.copytree(run, out)
    samples = pl.read_parquet(out / "samples.parquet")
    planted = pl.when(contender="protobuf", mode="new", stage="encode").then(pl.col("ns") * 3)
    samples.with_columns(ns=planted.otherwise("ns")).write_parquet(out / "samples.parquet")
    return out


def test_a_run_is_no_different_from_itself(wirecost: Run, run: Path) -> None:
    done = wirecost("compare", run, run, "--fail-above", "0")
    assert done.returncode == 0, done.stderr
    assert "0 slower, 0 faster" in done.stdout
    assert "No regression above 0 %" in done.stdout


def test_a_regression_fails_where_it_is_beyond_the_limit(
    wirecost: Run, run: Path, slower: Path
) -> None:
    done = wirecost("compare", run, slower, "--fail-above", "5%")
    assert done.returncode == 3
    assert "1 slower, 0 faster" in done.stdout
    assert "REGRESSION" in done.stdout
    assert wirecost("compare", run, slower, "--fail-above", "400%").returncode == 0


def test_json_markdown_page_and_figures(
    wirecost: Run, run: Path, slower: Path, tmp_path: Path
) -> None:
    done = wirecost(
        "compare", run, slower, "--json", "-", "--markdown", tmp_path / "pr.md", "--report",
        tmp_path / "page.html", "--figures", tmp_path / "figures", "--format", "png",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    (row,) = [r for r in told["rows"] if r["verdict"] == "slower"]
    assert (row["contender"], row["mode"], row["stage"]) == ("protobuf", "new", "encode")
    assert row["change"] == pytest.approx(2)
    assert "slower" in (tmp_path / "pr.md").read_text()
    figures = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"changes.png", "spreads.png", "medians.png", "distribution-1.png"} <= figures
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium; `make test` installs it")
    page = tmp_path / "page.html"
    command = [chromium, *CHROMIUM, f"--user-data-dir={tmp_path}", "--dump-dom", f"file://{page}"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    drawn = re.findall(r'<svg[^>]*class="marks"', shown.stdout)
    assert len(drawn) == len(figures)
    assert [line for line in shown.stderr.splitlines() if "CONSOLE" in line] == []


def test_what_cannot_be_compared_is_one_line(wirecost: Run, run: Path, tmp_path: Path) -> None:
    done = wirecost("compare", run, tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"{tmp_path}: not a result folder" in done.stderr
