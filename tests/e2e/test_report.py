# SPDX-License-Identifier: Apache-2.0
"""The report, opened in a real browser, and its other formats."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.browser import rendered

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def folder(bench: Callable[..., dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "results"
    bench(out, "--reflections", "1000,2000", "--steps", "3", "--variant", "both")
    return out


def test_the_page_draws_its_figures_offline(folder: Path, tmp_path: Path) -> None:
    page = folder / "report.html"
    dom, figures = rendered(page, tmp_path)
    assert figures == 10  # totals and stages of four races, time per reflection of two variants
    assert dom.count("mark-rect role-mark") >= 8
    assert "source generation" in dom
    assert "of the step" in dom
    assert "https://" not in page.read_text().split("<script>")[0]


def test_every_format_is_written(wirecost: Run, folder: Path) -> None:
    done = wirecost("report", folder, "--format", "html,svg,png,pdf,md,csv")
    assert done.returncode == 0, done.stderr
    figures = {path.suffix for path in (folder / "figures").iterdir()}
    assert figures == {".svg", ".png", ".pdf"}
    header, *lines = (folder / "report.csv").read_text().splitlines()
    assert header.startswith("case,contender,variant")
    # In two of four races Protobuf has one more allocator.
    assert len(lines) == 2 * (11 + 10) * 10
    assert "| protobuf |" in (folder / "report.md").read_text()
    for path in done.stdout.split("\n"):
        assert not path or Path(path).stat().st_size > 100


def test_logs_of_the_run_are_readable(wirecost: Run, folder: Path) -> None:
    logs = sorted((folder / "logs" / "0" / "protobuf").rglob("*.json"))
    done = wirecost("log", *logs)
    assert done.returncode == 0, done.stderr
    assert "source_generation" in done.stdout
    assert "model_deserialization" in done.stdout
