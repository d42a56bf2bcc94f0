# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench static`` as a user runs it: a made-up road, a real trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from wirecost.data.traces import create_trace
from wirecost.measure.bench.static.steps import synthetic

STATIC = [sys.executable, "-m", "wirecost", "bench", "static"]
FEW = ["--rounds", "2", "--processes", "1", "--seed", "7"]
SCREEN, COLUMNS = 24, 80


def run(*words: str | Path) -> str:
    done = subprocess.run(
        [*STATIC, *map(str, words), *FEW],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "COLUMNS": str(COLUMNS)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_road_of_any_length_fits_a_screen(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    printed = run("--kilometres", "2", "--objects", "7", "--json", out, "--out", tmp_path / "run")
    assert len(printed.splitlines()) <= SCREEN
    *lines, _, _ = printed.splitlines()  # where the tables and the page are
    assert all(len(line) <= COLUMNS for line in lines)
    assert "20 lanes, 7 moving objects" in printed
    found = json.loads(out.read_text())
    assert found["scenario"] == "static" and not found["failures"]
    assert {row["sent"] for row in found["rows"]} == {"all", "changed", "once"}


def test_a_trace_says_what_changes(tmp_path: Path) -> None:
    steps = synthetic(1, 3)
    path = tmp_path / "drive_gt_.osi"
    with create_trace(path, "GroundTruth") as writer:
        for traffic in steps.traffic:
            writer.write(None, steps.roads + traffic)
    printed = run(path, "--type", "GroundTruth", "--out", tmp_path / "run")
    assert "drive_gt_.osi: 8 lanes, 3 moving objects" in printed
    changes = subprocess.run(
        [sys.executable, "-m", "wirecost", "report", tmp_path / "run", "--tables", "differs"],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout.splitlines()  # fmt: skip
    shares = {line.split()[0]: line.split()[-2] for line in changes if line.endswith("%")}
    assert shares["moving_object.base"] == "100.0"
    assert shares["moving_object.type"] == shares["lane.classification"] == "0.0"
