# SPDX-License-Identifier: Apache-2.0
"""Effects of the machine are told from those of a contender's code by the other contenders."""

from __future__ import annotations

import numpy as np
import pytest

from wirecost.results.analysis.compare.drift import Change, drift

NAMES = [f"contender {i}" for i in range(8)]


def changes(shift: float, spread: float, changed: dict[str, float] | None = None) -> list[Change]:
    """Ten rows of each contender, each moved by about ``shift`` and by what its own code did."""
    random = np.random.default_rng(3)
    return [
        (name, "p50", float(np.exp(random.normal(shift, spread)) * (changed or {}).get(name, 1)))
        for name in NAMES
        for _ in range(10)
    ]


def test_on_a_quiet_machine_others_hardly_move() -> None:
    drifts = drift(changes(0, 0.005))
    assert set(drifts) == {(name, "p50") for name in NAMES}
    assert max(drifts.values()) < 0.03


def test_a_machine_that_slows_down_all_moves_all() -> None:
    for shift in (0.2, -0.2):
        assert min(drift(changes(shift, 0.005)).values()) > 0.2
    assert min(drift(changes(0, 0.1)).values()) > 0.2


def test_what_one_contender_or_some_changed_by_does_not_count() -> None:
    drifts = drift(changes(0, 0.005, {NAMES[0]: 2, NAMES[1]: 0.5, NAMES[2]: 1.3}))
    assert max(drifts.values()) < 0.05


def test_percentiles_are_apart() -> None:
    tails = [(name, "p99", ratio) for name, _, ratio in changes(0.5, 0.1)]
    drifts = drift([*changes(0, 0.005), *tails])
    assert drifts[NAMES[0], "p50"] < 0.03
    assert drifts[NAMES[0], "p99"] > 0.5


@pytest.mark.parametrize("contenders", [1, 4])
def test_few_contenders_show_nothing(contenders: int) -> None:
    few = [change for change in changes(0.2, 0.005) if change[0] in NAMES[:contenders]]
    assert drift(few) == {}


def test_few_rows_show_nothing() -> None:
    assert drift([(name, "p50", 1.2) for name in NAMES]) == {}


def test_times_of_zero_are_left_out() -> None:
    assert drift([*changes(0, 0.005), (NAMES[0], "p50", 0.0)]) == drift(changes(0, 0.005))
