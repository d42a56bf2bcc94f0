# SPDX-License-Identifier: Apache-2.0
"""Whether a promise came true: gains in pairs of turns, and the verdict."""

from __future__ import annotations

import pytest

from wirecost.results.analysis.intervals import Estimate
from wirecost.results.analysis.proofs import KEPT, LESS, MORE, NOTHING, gain, verdict
from wirecost.results.records.proof import StandInTurn, TurnPair


def turn(share: float) -> StandInTurn:
    return StandInTurn(
        publish_share=share, take_share=2 * share, idle_share=0.0, bytes_per_s=1e6,
        latency_ns=None, received=1.0,
    )  # fmt: skip


def test_what_slows_both_turns_of_a_pair_is_no_gain() -> None:
    slowed = (0.01, 0.05, 0.02, 0.04, 0.03)
    turns = [TurnPair(before=turn(more + 0.02), after=turn(more + 0.01)) for more in slowed]
    gained = gain(turns, lambda one: one.share)
    assert gained.before.value == pytest.approx(0.15)
    assert gained.after.value == pytest.approx(0.12)
    assert gained.gained == Estimate(*[pytest.approx(0.03)] * 3)


@pytest.mark.parametrize(
    ("promised", "gained", "expected"),
    [
        (0.010, Estimate(0.012, 0.011, 0.013), KEPT),
        (0.010, Estimate(0.020, 0.008, 0.030), KEPT),
        (0.010, Estimate(0.005, 0.004, 0.006), LESS),
        (0.010, Estimate(0.020, 0.018, 0.022), MORE),
        (0.010, Estimate(0.009, -0.001, 0.020), NOTHING),
        (0.010, Estimate(-0.020, -0.030, -0.010), NOTHING),
        (0.0, Estimate(0.0, -0.001, 0.001), KEPT),
    ],
)
def test_a_promise_is_kept_within_a_third_or_the_interval(
    promised: float, gained: Estimate, expected: str
) -> None:
    assert verdict(promised, gained) == expected
