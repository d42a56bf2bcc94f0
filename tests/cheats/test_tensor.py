# SPDX-License-Identifier: Apache-2.0
"""Cheats of ``bench tensor``, in its race."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cheats.tensor.worker import find_cheat
from wirecost.bench.tensor import process
from wirecost.bench.tensor.cases import Case, Entry
from wirecost.bench.tensor.race import Outcome, Pairs, Round, rounds_of, run_back_to_back, run_round

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

Race = Callable[..., Outcome]


def quiet(messages: int, text: str) -> None:
    """Reports nothing."""
    del messages, text


@pytest.fixture
def race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Race:
    """``race(cheat)``: what became of it."""
    monkeypatch.setattr(process, "MODULE", "cheats.tensor.worker")
    monkeypatch.setenv("PYTHONPATH", os.fspath(TESTS))

    def race(cheat: str, throughput: bool = False) -> Outcome:
        contender = find_cheat(cheat, NBYTES)
        entry = Entry(cheat, "numpy" if contender.takes_objects else "")
        outcome = Outcome(entry)
        inside = contender.one_process
        rate = 0.0 if inside else 100.0
        case = Case(SHAPE, "float64", "cpu", rate, TRIALS, (entry,), inside)
        pairs = Pairs({cheat: contender}, "pubsub", tmp_path)
        try:
            for number, trials in enumerate(rounds_of(TRIALS, 2)):
                turn = Round(number, trials, 1)
                run_round(case, pairs, "ones", "pubsub", turn, [outcome], quiet, lambda: None)
            if throughput:
                run_back_to_back(case, pairs, "ones", [outcome], quiet)
        finally:
            pairs.end()
        return outcome

    return race


@pytest.mark.parametrize("cheat, reason", REFUSED.items())
def test_a_cheat_is_refused_and_its_reason_given(race: Race, cheat: str, reason: str) -> None:
    outcome = race(cheat)
    assert reason in (outcome.failure or "")
    assert outcome.samples == []


def test_a_cheat_where_messages_are_sent_back_to_back_is_refused(race: Race) -> None:
    outcome = race("honest_at_first", throughput=True)
    assert len(outcome.samples) == TRIALS  # it was honest here
    assert "back to back: message" in (outcome.failure or "")
    assert outcome.bytes_per_s is None


def test_messages_that_were_never_sent_are_counted_as_lost(race: Race) -> None:
    """Nobody but the harness counts what was to be sent."""
    outcome = race("loses")
    assert outcome.failure is None
    counts = outcome.counts
    assert counts.sent == counts.received + counts.lost == TRIALS
    assert counts.lost >= TRIALS // 2
