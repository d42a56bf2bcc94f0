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
