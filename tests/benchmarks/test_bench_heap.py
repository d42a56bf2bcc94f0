# SPDX-License-Identifier: Apache-2.0
"""The study heap: every allocator proves itself, ours takes no fault, the page draws."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CHROMIUM = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
    "--virtual-time-budget=10000",
]  # fmt: skip
OTHERS = {"jemalloc": "libjemalloc2", "mimalloc": "libmimalloc2.0", "tlsf": "tlsf/build"}
PATTERNS = ("larson", "threadtest", "xmalloc", "cache-scratch")


@pytest.fixture(scope="module")
def document(measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    sizes = ("--samples", "500", "--rounds", "2", "--threads", "3", "--pairs", "100000")
    found = measure("heap", *sizes)
    found["meta"] = json.loads((found["folder"] / "meta.json").read_text())
    return found


def test_every_installed_allocator_runs_in_both_modes(document: dict[str, Any]) -> None:
    missing = document["meta"]["not_run"]
    assert set(missing) <= set(OTHERS)
    assert all(OTHERS[name] in why for name, why in missing.items())
    names = {"wirecost", "glibc", *OTHERS} - set(missing)
    expected = {(name, mode) for name in names for mode in ("defaults", "low-fault")}
    cases = {"callback, lidar"} | {f"{pattern}, 3 threads" for pattern in PATTERNS}
    assert document["failures"] == []
    found = {(row["case"], row["contender"], row["mode"]) for row in document["rows"]}
    assert found == {(case, *who) for case in cases for who in expected}


def test_results_are_the_same_under_every_allocator(document: dict[str, Any]) -> None:
    digests: dict[str, set[str]] = {}
    for row in document["rows"]:
        digests.setdefault(row["case"], set()).add(row["digest"])
    assert all(len(found) == 1 and "" not in found for found in digests.values())


def test_ours_takes_no_fault_and_the_usual_one_many(document: dict[str, Any]) -> None:
    tails = {
        f"{row['contender']} {row['mode']}": row["tail"]
        for row in document["rows"]
        if row["variant"] == "callback"
    }
    assert tails["wirecost defaults"]["minor_faults"] == 0
    assert tails["wirecost low-fault"]["minor_faults"] == 0
    assert tails["glibc defaults"]["minor_faults"] > 1
    assert all(tail["p999_ns"] > 0 for tail in tails.values())


def test_every_callback_is_kept(document: dict[str, Any]) -> None:
    samples = pl.read_parquet(document["folder"] / "samples.parquet")
    callbacks = samples.filter(variant="callback", contender="wirecost", mode="defaults")
    assert callbacks["repetition"].to_list() == list(range(1000))
    assert callbacks["process"].to_list() == [0] * 500 + [1] * 500
    assert callbacks["ns"].min() > 1000  # type: ignore[operator]  # floats by schema


def test_the_report_says_settings_and_doubts(document: dict[str, Any], wirecost: Run) -> None:
    done = wirecost("report", document["folder"], "--format", "md,csv,svg")
    assert done.returncode == 0, done.stderr
    text = (document["folder"] / "report.md").read_text()
    assert "| wirecost defaults | 0 | 0 |" in text
    assert "MALLOC\\_CONF=dirty\\_decay\\_ms:-1" in text or (
        "jemalloc" in document["meta"]["not_run"]
    )
    assert "larson, 3 threads" in text
    assert document["environment"]["doctor"]
    figures = {path.stem for path in (document["folder"] / "figures").glob("*.svg")}
    assert figures == {"heap-turnaround", "heap-tails", "heap-throughput"}


def test_the_page_draws_its_figures(document: dict[str, Any], tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium; `make test` installs it")
    page = document["folder"] / "report.html"
    command = [chromium, *CHROMIUM, f"--user-data-dir={tmp_path}", "--dump-dom", f"file://{page}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert len(re.findall(r'<svg[^>]*class="marks"', done.stdout)) == 3
    assert "Turnaround by callback" in done.stdout
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []


def test_allocators_and_studies_are_those_asked_for(measure: Callable[..., dict[str, Any]]) -> None:
    few = ("--samples", "100", "--rounds", "1", "--study", "callback")
    document = measure("heap", *few, "--allocators", "wirecost,glibc")
    assert document["failures"] == []
    assert {row["contender"] for row in document["rows"]} == {"wirecost", "glibc"}
    assert {row["variant"] for row in document["rows"]} == {"callback"}
