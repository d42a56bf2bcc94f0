# SPDX-License-Identifier: Apache-2.0
"""``wirecost compare`` as a user drives it: on real runs, and on one made slower."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.browser import rendered

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_run_is_no_different_from_itself(wirecost: Run, measured: Path) -> None:
    done = wirecost("compare", measured, measured, "--fail-above", "0")
    assert done.returncode == 0, done.stderr
    assert "0 slower, 0 faster" in done.stdout
    assert "No regression shown, but this comparison could not have seen 0 %" in done.stdout


def test_a_regression_fails_where_it_is_beyond_the_limit(
    wirecost: Run, measured: Path, slower: Path
) -> None:
    done = wirecost("compare", measured, slower, "--fail-above", "5%")
    assert done.returncode == 3
    assert "1 slower, 0 faster" in done.stdout
    assert "REGRESSION" in done.stdout
    assert wirecost("compare", measured, slower, "--fail-above", "400%").returncode == 0


def test_json_markdown_page_and_figures(
    wirecost: Run, measured: Path, slower: Path, tmp_path: Path
) -> None:
    done = wirecost(
        "compare", measured, slower, "--json", "-", "--markdown", tmp_path / "pr.md", "--report",
        tmp_path / "page.html", "--figures", tmp_path / "figures", "--format", "png",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    (row,) = [r for r in reported["rows"] if r["verdict"] == "slower"]
    assert (row["contender"], row["mode"], row["stage"]) == ("protobuf", "new", "encode")
    assert row["change"] == pytest.approx(2)
    assert "slower" in (tmp_path / "pr.md").read_text()
    figures = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"changes.png", "spreads.png", "medians.png", "distribution-1.png"} <= figures
    page = tmp_path / "page.html"
    _, drawn = rendered(page, tmp_path)
    assert drawn == len(figures)


def test_what_cannot_be_compared_is_one_line(wirecost: Run, measured: Path, tmp_path: Path) -> None:
    done = wirecost("compare", measured, tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"{tmp_path}: not a result folder" in done.stderr
