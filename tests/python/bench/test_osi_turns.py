# SPDX-License-Identifier: Apache-2.0
"""Turns of ``bench osi``: a contender cannot tell when its messages are read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirecost.measure.bench.osi.turns import FIRST_FRAME, planned

WARM = 50
SECRETS = st.integers(0, 2**64 - 1)


@given(st.integers(1, 500), st.integers(1, 30), SECRETS, st.integers(0, 9))
def test_turns_hold_all_steps_and_no_frame_twice(
    steps: int, per_turn: int, secret: int, process: int
) -> None:
    turns = planned(steps, per_turn, WARM, secret, process)
    assert sum(turn.steps for turn in turns) == steps
    assert sum(turn.read for turn in turns) == 1
    former = FIRST_FRAME
    for turn in turns:
        assert turn.steps >= 1
        assert turn.last - turn.steps - WARM >= former
        former = turn.last


@given(st.integers(2, 100), SECRETS)
def test_processes_of_a_run_have_the_same_frames(steps: int, secret: int) -> None:
    """Also where one has a step less."""
    turns, other = planned(steps, 3, WARM, secret, 0), planned(steps - 1, 3, WARM, secret, 1)
    lasts = [turn.last for turn in turns]
    assert [turn.last for turn in other] in (lasts, lasts[:-1])


def test_another_run_has_other_turns_and_reads_another_one() -> None:
    runs = [planned(40, 4, WARM, secret, 0) for secret in range(40)]
    assert len({tuple(turn.steps for turn in turns) for turns in runs}) > 30
    assert len({[turn.read for turn in turns].index(True) for turns in runs}) > 3
