# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench codecs`` as a user runs it: scans, a recording, nothing at hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cost.drives import drive
from wirecost.data.clouds.scan_writers import WRITERS
from wirecost.measure.bench.codecs.schema import CodecMeta
from wirecost.results.records.reading import read_results

CODECS = [sys.executable, "-m", "wirecost", "bench", "codecs", "--rounds", "3"]
SCREEN, COLUMNS = 24, 80
EXACT = {"copy", "lz4", "zstd-1", "zstd-3", "wirecost-exact", "wirecost-quick-exact"}
OURS = {"wirecost", "wirecost-quick", "columns", "columns-zstd"}
STEP = 0.004


def run(*words: str | Path) -> str:
    without = {name: value for name, value in os.environ.items() if name != "WIRECOST_DATA"}
    without["COLUMNS"] = str(COLUMNS)
    place = () if "--out" in words else ("--out", Path(tempfile.mkdtemp(), "run"))
    done = subprocess.run(
        [*CODECS, *map(str, (*words, *place))],
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


def runs_of(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the totals of the one scan, by codec."""
    return {row["contender"]: row for row in found["rows"] if row["stage"] == "total"}


def test_a_scan_meets_all_codecs(scan: Path) -> None:
    options = ("--error", str(STEP / 2), "--processes", "1", "--seed", "3", "--json", "-")
    found = json.loads(run(scan, *options))
    assert all(row["n"] == 3 and row["median_ns"] > 0 for row in found["rows"])
    runs = runs_of(found)
    assert runs.keys() | found["not_run"].keys() >= EXACT | OURS
    for name, one in runs.items():
        if name in EXACT:
            assert one["errors"] == {}
    for name in OURS:
        ours = runs[name]
        assert set(ours["errors"]) <= {"x", "y", "z"}
        assert max(ours["errors"].values(), default=0) <= STEP / 2
    sizes = [runs[name]["bytes"] for name in ("wirecost", "wirecost-exact", "copy")]
    assert sizes == sorted(sizes)
    sizes = [runs[name]["bytes"] for name in ("wirecost-quick", "wirecost-quick-exact", "copy")]
    assert sizes == sorted(sizes)


def test_errors_reach_doubles(tmp_path: Path) -> None:
    """Coordinates of a map, which are 0.25 m off as floats; nothing is cut before the race."""
    along = np.arange(2000) + np.random.default_rng(2).random(2000)
    kinds = [("x", "<f8"), ("y", "<f8"), ("z", "<f8"), ("t", "<f8")]
    points = np.zeros(2000, kinds)
    points["x"], points["y"] = 500_000 + along * 0.0123, 5_400_000.3 + np.sin(along)
    points["t"] = 1.7e9 + along * 1e-5
    path = tmp_path / "map.pcd"
    path.write_bytes(WRITERS[".pcd"](points))
    found = json.loads(run(path, "--error", "0.001", "--json", "-"))
    runs = runs_of(found)
    for name, one in runs.items():
        assert one["raw_bytes"] == points.nbytes
        assert (one["errors"] == {}) == (name in EXACT)
        assert max(one["errors"].values(), default=0) <= 0.00101
    packed = tmp_path / "map.wcloud"
    converted = [*CODECS[:3], "convert-cloud", str(path), str(packed), "--error", "1mm"]
    subprocess.run(converted, check=True, capture_output=True, timeout=60)
    assert runs["wirecost"]["bytes"] == packed.stat().st_size
    assert runs["wirecost"]["bytes"] < 0.8 * runs["wirecost-exact"]["bytes"]


def test_values_of_one_field_stand_apart(tmp_path: Path) -> None:
    """Every contender reads the second and third value of a field where they are."""
    points = np.zeros(500, [("x", "<f4"), ("rgb", "<u2", (3,)), ("n", "<f4", (3,))])
    random = np.random.default_rng(1)
    points["rgb"], points["n"] = random.integers(0, 999, (500, 3)), random.random((500, 3))
    path = tmp_path / "a.pcd"
    path.write_bytes(WRITERS[".pcd"](points))
    found = json.loads(run(path, "--json", "-"))
    assert found["failures"] == []
    assert found["not_run"].keys() <= {"draco", "cloudini-zstd"}


def test_the_answer_is_one_screen(scan: Path) -> None:
    lines = run(scan).splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= COLUMNS
    assert "of the bytes" in " ".join(lines[:3])


def test_without_a_scan_one_is_synthetic() -> None:
    found = json.loads(run("--json", "-"))
    assert {row["case"] for row in found["rows"]} == {"synthetic, vlp32"}


def test_a_topic_of_a_recording(tmp_path: Path) -> None:
    drive(tmp_path / "drive.mcap")
    out = tmp_path / "run"
    run(tmp_path / "drive", "--topic", "/points", "--out", out)
    meta = read_results(out).meta_as(CodecMeta)
    assert meta.rate_hz == pytest.approx(10)
    assert {run.points for run in meta.runs} == {10_000}
    assert "At 10 Hz" in run(tmp_path / "drive")
