# SPDX-License-Identifier: Apache-2.0
"""The report, opened in a real browser, and its other formats."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CHROMIUM = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
    "--virtual-time-budget=10000",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(bench: Callable[..., dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "results"
    bench(out, "--reflections", "1000,2000", "--steps", "3", "--variant", "both")
    return out


def test_the_page_draws_its_figures_offline(folder: Path, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium; `make test` installs it")
    page = folder / "report.html"
    command = [chromium, *CHROMIUM, f"--user-data-dir={tmp_path}", "--dump-dom", f"file://{page}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    dom = done.stdout
    drawn = re.findall(r'<svg[^>]*class="marks"', dom)
    assert len(drawn) == 6  # four races, time per reflection of two variants
    assert dom.count("mark-rect role-mark") >= 8
    assert "source generation" in dom
    assert "time since the start of the step" in dom
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert errors == []
    assert "https://" not in page.read_text().split("<script>")[0]


def test_every_format_is_written(wirecost: Run, folder: Path) -> None:
    done = wirecost("report", folder, "--format", "html,svg,png,pdf,md,csv")
    assert done.returncode == 0, done.stderr
    figures = {path.suffix for path in (folder / "figures").iterdir()}
    assert figures == {".svg", ".png", ".pdf"}
    header, *lines = (folder / "report.csv").read_text().splitlines()
    assert header.startswith("case,contender,variant")
    assert len(lines) == 4 * 9 * 10
    assert "| protobuf |" in (folder / "report.md").read_text()
    for path in done.stdout.split("\n"):
        assert not path or Path(path).stat().st_size > 100


def test_logs_of_the_run_are_readable(wirecost: Run, folder: Path) -> None:
    logs = sorted((folder / "logs" / "0" / "protobuf").iterdir())
    done = wirecost("log", *logs)
    assert done.returncode == 0, done.stderr
    assert "source_generation" in done.stdout
    assert "model_deserialization" in done.stdout


def test_what_is_no_result_folder_is_refused(wirecost: Run, tmp_path: Path) -> None:
    for command in (("report", tmp_path), ("log", tmp_path / "no.json")):
        done = wirecost(*command)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert str(tmp_path) in done.stderr
