# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench codecs`` as a user runs it: scans, a recording, nothing at hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cost.drives import drive

CODECS = [sys.executable, "-m", "wirecost", "bench", "codecs", "--rounds", "3"]
SCREEN, COLUMNS = 24, 80
EXACT = {"copy", "lz4", "zstd-1", "zstd-3", "wirecost-exact", "wirecost-quick-exact"}
OURS = {"wirecost", "wirecost-quick", "columns", "columns-zstd"}
STEP = 0.004


def run(*words: str | Path) -> str:
    without = {name: value for name, value in os.environ.items() if name != "WIRECOST_DATA"}
    done = subprocess.run(
        [*CODECS, *map(str, words)],
        capture_output=True, text=True, timeout=120, check=False, env=without,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """Write a scan of KITTI's kind, with a point that did not come back."""
    random = np.random.default_rng(5)
    azimuth = np.linspace(0, 6, 4000)
    away = 10 + random.normal(0, 0.02, 4000)
    points = np.stack(
        [away * np.cos(azimuth), away * np.sin(azimuth), away * 0.1, random.random(4000)], 1
    ).astype("<f4")
    points[7, :3] = np.nan
    path = tmp_path / "0.bin"
    path.write_bytes(points.tobytes())
    return path


def test_a_scan_meets_all_codecs(scan: Path) -> None:
    found = json.loads(run(scan, "--error", str(STEP / 2), "--json", "-"))
    runs = {one["codec"]: one for one in found["runs"]}
    assert runs.keys() | found["absent"].keys() >= EXACT | OURS
    for name, one in runs.items():
        assert len(one["encode_ns"]) == len(one["decode_ns"]) == 3
        assert min(*one["encode_ns"], *one["decode_ns"]) > 0
        if name in EXACT:
            assert one["errors"] == {}
    for name in OURS:
        ours = runs[name]
        assert not ours["fault"]
        assert set(ours["errors"]) <= {"x", "y", "z"}
        assert max(ours["errors"].values(), default=0) <= STEP / 2
    sizes = [runs[name]["bytes"] for name in ("wirecost", "wirecost-exact", "copy")]
    assert sizes == sorted(sizes)
    sizes = [runs[name]["bytes"] for name in ("wirecost-quick", "wirecost-quick-exact", "copy")]
    assert sizes == sorted(sizes)


def test_the_answer_is_one_screen(scan: Path) -> None:
    lines = run(scan).splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= COLUMNS
    assert "of the bytes" in " ".join(lines[:3])


def test_without_a_scan_one_is_made_up() -> None:
    found = json.loads(run("--all", "--json", "-"))
    assert {one["scan"] for one in found["runs"]} == {"made up, vlp32"}


def test_a_topic_of_a_recording(tmp_path: Path) -> None:
    drive(tmp_path / "drive.mcap")
    found = json.loads(run(tmp_path / "drive", "--topic", "/points", "--json", "-"))
    assert found["rate_hz"] == pytest.approx(10)
    assert {one["points"] for one in found["runs"]} == {10_000}
    assert "At 10 Hz" in run(tmp_path / "drive")
