# SPDX-License-Identifier: Apache-2.0
"""The study of FMI variables as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from e2e.conftest import bench_words
from wirecost_scenarios.fmi.race import CARRIERS

SMALL, LARGE = 64, 1 << 22
FMI = [sys.executable, "-m", "wirecost", *map(str, bench_words("fmi"))]
SCREEN, COLUMNS = 24, 80


def test_both_importers_exchange_all_and_the_answer_is_one_screen(tmp_path: Path) -> None:
    done = subprocess.run(
        [*FMI, "--counts", "3", "--sizes", f"{SMALL},{LARGE}", "--rounds", "5", "--seed", "2",
         "--out", tmp_path / "run", "--json", tmp_path / "rows"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "COLUMNS": str(COLUMNS)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines[:-2])) <= COLUMNS  # the last ones are places
    assert "Get and set of a Float64" in lines[0]

    rows = json.loads((tmp_path / "rows").read_text())["rows"]
    for row in rows:
        assert row["n"] == 5
        assert row["median_ns"] > 0
    values = {(row["variant"], row["fmi"], row["kind"]) for row in rows}
    for importer in ("C", "FMPy"):
        for kind in ("float64", "int32", "string"):
            assert {(importer, 2, kind), (importer, 3, kind)} <= values
        assert (importer, 3, "binary") in values
    messages = [
        row
        for row in rows
        if (row["kind"], row["bytes"], row["stage"]) == ("message", LARGE, "total")
    ]
    assert len(messages) == len(CARRIERS)
    for row in messages:
        is_copied = row["contender"].startswith(("binary", "clocked"))
        assert abs(row["copied_bytes"] - is_copied * LARGE) < LARGE / 100, row["contender"]
