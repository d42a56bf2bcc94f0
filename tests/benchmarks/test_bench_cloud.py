# SPDX-License-Identifier: Apache-2.0
"""The study cloud: versions that say the same, plain and under the heap, and a report."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Measure = Callable[..., dict[str, Any]]

ROOT = Path(__file__).parents[2]
SAMPLES = ("--samples", "6")
VERSIONS = {"usual", "recommended", "wirecost"}


@pytest.fixture(scope="module")
def rings(measure: Measure) -> dict[str, Any]:
    return measure("cloud", *SAMPLES, "--study", "ring", "--scan", "vlp16")


def versions(document: dict[str, Any]) -> set[str]:
    """All of them but PCL's where this build is without it."""
    without = json.loads((document["folder"] / "meta.json").read_text())["not_run"]
    return VERSIONS - {name.partition(" ")[2] for name in without}


def test_ring_versions_say_the_same_plain_and_under_the_heap(rings: dict[str, Any]) -> None:
    assert rings["failures"] == []
    found = {(row["contender"], row["heap"]) for row in rings["rows"]}
    assert found == {(name, heap) for name in versions(rings) for heap in (False, True)}
    assert len({row["digest"] for row in rings["rows"]}) == 1
    for row in rings["rows"]:
        assert (row["study"], row["scan"], row["points"]) == ("ring", "synthetic vlp16", 14_831)
        assert row["n"] == 6
        assert row["bytes"] % 16 == 0


def test_only_memory_that_is_touched_in_the_callback_takes_faults(rings: dict[str, Any]) -> None:
    faults = {
        (row["contender"], row["heap"]): row["counters"]["minor-faults"] for row in rings["rows"]
    }
    assert faults["wirecost", False] == 0
    for name in versions(rings):
        assert faults[name, True] == 0
    if "usual" in versions(rings):
        assert faults["usual", False] > 10


def test_samples_hold_every_callback_with_its_counters(rings: dict[str, Any]) -> None:
    samples = pl.read_parquet(rings["folder"] / "samples.parquet")
    assert len(samples) == 6 * len(rings["rows"])
    assert {"counter:minor-faults", "value", "begin_ns"} <= set(samples.columns)
    assert samples["value"].n_unique() == 6  # messages of different size, in turns
    page = (rings["folder"] / "report.html").read_text()
    assert "Turnaround" in page
    assert "minor-faults" in page


@pytest.mark.parametrize("options", [("--format", "radrt"), ("--published",)])
def test_other_formats_and_rules(
    measure: Measure, rings: dict[str, Any], options: tuple[str, ...]
) -> None:
    document = measure("cloud", *SAMPLES, "--study", "ring", "--scan", "vlp16", *options)
    assert document["failures"] == []
    (digest,) = {row["digest"] for row in document["rows"]}
    same_points = options[0] == "--format"
    assert (digest == rings["rows"][0]["digest"]) == same_points


def test_areas_say_the_same_and_their_growth_is_reported(measure: Measure) -> None:
    area = ("--study", "area", "--points", "3000", "--vertices", "8,64", "--inside", "10")
    document = measure("cloud", *SAMPLES, *area, "--seed", "2", "--processes", "3")
    assert set(pl.read_parquet(document["folder"] / "samples.parquet")["process"]) == {0, 1, 2}
    assert document["failures"] == []
    cases = {row["case"] for row in document["rows"]}
    assert cases == {
        "area, 1000 points, 64 vertices, 10 % inside, all",
        *(
            f"area, 3000 points, {vertices} vertices, 10 % inside, {ask}"
            for vertices in (8, 64)
            for ask in ("all", "first")
        ),
    }
    assert all(len({r["digest"] for r in document["rows"] if r["case"] == c}) == 1 for c in cases)
    page = (document["folder"] / "report.html").read_text()
    assert "Cost by points" in page
    assert "Cost by vertices" in page


def test_a_real_scan_of_coordinates_alone(measure: Measure) -> None:
    data = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "lidar"
    scans = sorted((data / "vlp32").glob("*.pcd"))
    if not scans:
        pytest.skip(f"no real scans at {data}; set WIRECOST_DATA to where they are")
    document = measure("cloud", *SAMPLES, "--study", "ring", "--scan", scans[0])
    assert document["failures"] == []
    assert {row["points"] for row in document["rows"]} == {26_216}
    kept = {row["bytes"] // 16 for row in document["rows"]}
    assert len(kept) == 1
    assert 20_000 < kept.pop() < 26_216


def test_a_case_ends_with_its_time(measure: Measure) -> None:
    ring = ("--study", "ring", "--scan", "vlp16", "--samples", "100000", "--seconds", "0.2")
    document = measure("cloud", *ring)
    assert document["failures"] == []
    assert 0 < document["rows"][0]["n"] < 100_000
