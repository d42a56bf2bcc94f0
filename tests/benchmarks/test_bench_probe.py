# SPDX-License-Identifier: Apache-2.0
"""The study probe as a user drives it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from e2e.conftest import bench_words

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SAMPLES = 3


@pytest.fixture(scope="module")
def folder(wirecost: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("probe") / "result"
    common = (
        "--samples",
        str(SAMPLES),
        "--processes",
        "2",
        "--seed",
        "5",
        "--out",
        out,
        "--json",
        out.with_suffix(".json"),
    )
    done = wirecost(*bench_words("probe"), *common)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def document(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(folder.with_suffix(".json").read_text())
    return found


def test_every_contender_did_its_work_and_was_timed(document: dict[str, Any]) -> None:
    assert document["failures"] == []
    found = {(row["case"], f"{row['contender']} {row['mode']}".strip()) for row in document["rows"]}
    timed = {"floor", "section off", "section", "marks", "pmu_analyzer"}
    assert {("times", name) for name in timed} <= found
    waiting = {"section", "section block IO", "section queue", "section waits"}
    assert {("counters on request", name) for name in waiting} <= found
    assert {("software counters", name) for name in ("floor getrusage", "section")} <= found
    assert all((row["n"], row["processes"]) == (SAMPLES, 2) for row in document["rows"])
    assert all(row["median_ns"] > 0 for row in document["rows"])


def test_the_machine_is_reported_and_what_it_lacks(folder: Path) -> None:
    meta = json.loads((folder / "meta.json").read_text())
    assert "verdict" in meta["environment"]["doctor"]
    run = {f"{one['contender']} {one['mode']}".strip() for one in meta["runs"]
           if one["case"] == "hardware counters"}  # fmt: skip
    left_out = {name for name in meta["not_run"] if "hardware counters" in name}
    assert len(run) + len(left_out) == 4
    assert all(reason for reason in meta["not_run"].values())


def test_samples_and_report_are_kept(folder: Path, wirecost: Run) -> None:
    samples = pl.read_parquet(folder / "samples.parquet")
    per_contender = samples.group_by("case", "contender", "mode").len()["len"]
    assert set(per_contender) == {SAMPLES}
    assert "of the clock" in (folder / "report.html").read_text()
    done = wirecost("report", folder, "--format", "md")
    assert done.returncode == 0, done.stderr
    text = (folder / "report.md").read_text()
    assert "### times" in text
    assert "### software counters" in text
