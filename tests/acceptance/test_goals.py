# SPDX-License-Identifier: Apache-2.0
"""Goals are met, missed or undecided as the measured numbers say."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.__main__ import goals_of, main
from acceptance.goal import at_most
from support.tensor_folders import tensor_folder
from wirecost.analysis.intervals import Estimate
from wirecost.records.reading import read_results

KEPT = Path(__file__).parents[1] / "data" / "results"


@pytest.mark.parametrize(
    ("low", "high", "met"), [(0.9, 1.1, True), (1.1, 1.2, None), (1.2, 1.3, False)]
)
def test_an_interval_around_the_limit_decides_nothing(low: float, high: float, met: bool) -> None:
    assert at_most("a", 1.15, "1.15", Estimate(1.0, low, high)).met is met


def test_tensor_goals_say_what_is_met(tmp_path: Path) -> None:
    found = {goal.what: goal for goal in goals_of(tensor_folder(tmp_path, n=40))}
    assert found["iceoryx2 ÷ Wrapyfi over ZeroMQ"].met
    assert found["iceoryx2 ÷ Wrapyfi over ZeroMQ"].measured.startswith("1/4")
    assert not found["encode + decode ÷ Wrapyfi's"].met  # the same made-up coding in both
    assert found["zeromq ÷ raw-zeromq"].met
    assert found["lost, twice or out of order at ≤ 100 Hz"].met


def test_slow_transports_and_losses_miss_their_goals(tmp_path: Path) -> None:
    slower = {"zeromq": 2.0, "iceoryx2": 9.0}
    results = tensor_folder(tmp_path, n=40, slower=slower, run={"lost": 2, "rate": 90.0})
    found = {goal.what: goal.met for goal in goals_of(results)}
    assert found["zeromq ÷ raw-zeromq"] is False
    assert found["iceoryx2 ÷ Wrapyfi over ZeroMQ"] is False
    assert found["lost, twice or out of order at ≤ 100 Hz"] is False
    assert found["runs whose rate is within 1 %"] is False


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
