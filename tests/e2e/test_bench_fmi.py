# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench fmi`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from wirecost.measure.bench.fmi.race import CARRIERS

SMALL, LARGE = 64, 1 << 22
FMI = [sys.executable, "-m", "wirecost", "bench", "fmi"]
SCREEN, COLUMNS = 24, 80


def test_both_importers_exchange_all_and_the_answer_is_one_screen(tmp_path: Path) -> None:
    done = subprocess.run(
        [*FMI, "--counts", "3", "--sizes", f"{SMALL},{LARGE}", "--rounds", "5",
         "--json", tmp_path / "race.json"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= COLUMNS
    assert "Get and set of a Float64" in lines[0]

    runs = json.loads((tmp_path / "race.json").read_text())["runs"]
    for run in runs:
        for samples in run["parts"].values():
            assert len(samples) == 5
            assert min(samples) > 0
    values = {(run["importer"], run["fmi"], run["kind"]) for run in runs}
    for importer in ("C", "FMPy"):
        for kind in ("float64", "int32", "string"):
            assert {(importer, 2, kind), (importer, 3, kind)} <= values
        assert (importer, 3, "binary") in values
    messages = [run for run in runs if run["kind"] == "message" and run["bytes"] == LARGE]
    assert len(messages) == len(CARRIERS)
    for run in messages:
        is_copied = run["contender"].startswith(("binary", "clocked"))
        assert abs(run["copied_bytes"] - is_copied * LARGE) < LARGE / 100, run["contender"]


def test_all_tables_are_printed() -> None:
    done = subprocess.run(
        [*FMI, "--counts", "1", "--sizes", "8B", "--rounds", "1", "--all"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for title in ("1 float64", "1 binary of 8 B", "Messages of 8 B", "OMSimulator", "one array"):
        assert title in done.stdout
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= COLUMNS
