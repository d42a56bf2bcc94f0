# SPDX-License-Identifier: Apache-2.0
"""Goals are met, missed or undecided as the measured numbers say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from acceptance.__main__ import goals_of, main
from acceptance.goal import at_most
from support.tensor_folders import tensor_folder
from wirecost.results.analysis.intervals import Estimate
from wirecost.results.records.reading import read_results

KEPT = Path(__file__).parents[1] / "data" / "results"


@pytest.mark.parametrize(
    ("low", "high", "met"), [(0.9, 1.1, True), (1.1, 1.2, None), (1.2, 1.3, False)]
)
def test_an_interval_around_the_limit_decides_nothing(low: float, high: float, met: bool) -> None:
    assert at_most("a", 1.15, "1.15", Estimate(1.0, low, high)).met is met


RUNS: dict[str, dict[str, Any]] = {
    "usual": {},
    "slow and lossy": {
        "slower": {"zeromq": 2.0, "iceoryx2": 9.0}, "run": {"lost": 2, "rate": 90.0},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_tensor_goals(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    goals = goals_of(tensor_folder(tmp_path, n=40, **RUNS[name]))
    verdicts = {True: "met", False: "missed", None: "undecided"}
    assert [f"{goal.what}: {goal.measured}, {verdicts[goal.met]}" for goal in goals] == snapshot


def test_probe_goals_are_asked_of_sections(capsys: pytest.CaptureFixture[str]) -> None:
    goals = goals_of(read_results(KEPT / "probe"))
    assert goals
    assert all(goal.what.startswith("a section with ") for goal in goals)
    missed = any(goal.met is False for goal in goals)
    assert main([str(KEPT / "probe")]) == int(missed)
    assert all(goal.what in capsys.readouterr().out for goal in goals[:1])


def test_other_scenarios_have_no_goals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(KEPT / "heap")]) == 0
    assert main([]) == 2
    assert main(["/nowhere"]) == 2
    assert "error: " in capsys.readouterr().err
