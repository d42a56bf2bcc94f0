# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench map`` as a user drives it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_rows_have_memory_and_time_of_both_contenders(wirecost: Run, tmp_path: Path) -> None:
    out = tmp_path / "map"
    done = wirecost(
        "bench", "map", "--size", "20", "--subscribers", "1,2", "--repetitions", "2",
        "--processes", "2", "--seed", "3", "--out", out, "--json", "-",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    totals = {
        (row["case"], row["contender"]): row for row in document["rows"] if row["stage"] == "total"
    }
    assert {case for case, _ in totals} == {"20 MB, 1 subscriber", "20 MB, 2 subscribers"}
    for (case, contender), row in totals.items():
        instances = 1 if contender == "shared" else 2 + ("2 sub" in case)
        assert row["map_memory_bytes"] == pytest.approx(instances * 20e6, rel=0.15)
        assert row["memory_bytes"] > row["map_memory_bytes"]
        assert (row["n"], row["processes"]) == (2, 2)
    assert len({row["digest"] for row in totals.values()}) == 1
    assert totals["20 MB, 1 subscriber", "copied"]["ratio"]["to"] == "copied"
    assert "20 MB, 2 subscribers: " in done.stderr
    assert "by sharing" in (out / "report.html").read_text()
    compared = wirecost("compare", out, out)
    assert compared.returncode == 0, compared.stderr
