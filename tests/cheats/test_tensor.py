# SPDX-License-Identifier: Apache-2.0
"""Cheats of ``bench tensor``, in its race."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cheats.tensor.worker import find_cheat
from wirecost.measure.bench.tensor import pair
from wirecost.measure.bench.tensor.cases import Combination, TensorCase
from wirecost.measure.bench.tensor.outcome import TensorOutcome
from wirecost.measure.bench.tensor.outcome import outcome as outcome_of
from wirecost.measure.bench.tensor.rounds import Pairs, TensorRace, plan_of

TESTS = Path(__file__).parents[1]
SHAPE = (2000,)
NBYTES = 16_000
TRIALS = 10

REFUSED = {
    "fills_gaps": "message 1 differs in",
    "hands_over": "what was received is the sender's own memory",
    "invents": "differs in",
    "makes_encoded": "it makes the objects itself, before the time that counts",
    "resends": "differs in",
    "smaller_size": "it reports 8000 bytes of 16000",
}

Cheating = Callable[..., TensorOutcome]


@pytest.fixture
def race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cheating:
    """``race(cheat)``: what became of it."""
    monkeypatch.setattr(pair, "MODULE", "cheats.tensor.worker")
    monkeypatch.setenv("PYTHONPATH", os.fspath(TESTS))

    def race(cheat: str, throughput: bool = False) -> TensorOutcome:
        contender = find_cheat(cheat, NBYTES)
        combination = Combination(cheat, "numpy" if contender.takes_objects else "")
        inside = contender.one_process
        rate = 0.0 if inside else 100.0
        case = TensorCase(SHAPE, "float64", "cpu", rate, TRIALS, (combination,), inside)
        outcome = outcome_of(case, combination, "ones", "pubsub")
        pairs = Pairs({cheat: contender}, "pubsub", tmp_path)
        engine = TensorRace(pairs, "ones", "pubsub", lambda *_: None, lambda: None)
        try:
            rounds = plan_of(case, 2, 1)
            for number in range(rounds.processes):
                engine.round([outcome], rounds, number)
            if throughput:
                engine.back_to_back([outcome])
        finally:
            pairs.end()
        return outcome

    return race


@pytest.mark.parametrize("cheat, reason", REFUSED.items())
def test_a_cheat_is_refused_and_its_reason_given(race: Cheating, cheat: str, reason: str) -> None:
    outcome = race(cheat)
    assert reason in (outcome.entry.failure or "")
    assert outcome.measured == 0


def test_a_cheat_where_messages_are_sent_back_to_back_is_refused(race: Cheating) -> None:
    outcome = race("honest_at_first", throughput=True)
    assert outcome.measured == TRIALS  # it was honest here
    assert "back to back: message" in (outcome.entry.failure or "")
    assert outcome.bytes_per_s is None


def test_messages_that_were_never_sent_are_counted_as_lost(race: Cheating) -> None:
    """Nobody but the harness counts what was to be sent."""
    outcome = race("loses")
    assert outcome.entry.failure is None
    counts = outcome.counts
    assert counts.sent == counts.received + counts.lost == TRIALS
    assert counts.lost >= TRIALS // 2
