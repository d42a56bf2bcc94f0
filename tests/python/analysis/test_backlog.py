# SPDX-License-Identifier: Apache-2.0
"""Receivers that fall behind, and pairs of processes that differ, of made-up times."""

from __future__ import annotations

import numpy as np
import pytest

from wirecost.results.analysis.backlog import BacklogPair, pairs

PERIOD = 10.0


def of(receiving: float, sending: float = 1.0, n: int = 100) -> BacklogPair:
    """Return a sender on time and a receiver of one at a time that needs ``receiving`` for each.

    The sender is late only if it takes longer than a period."""
    before, received = [], []
    ready = idle = 0.0
    for number in range(n):
        before.append(max(ready, number * PERIOD))
        ready = before[-1] + sending
        idle = max(idle, ready) + receiving
        received.append(idle)
    begun = np.array(before)
    (pair,) = pairs(np.array(received) - begun, begun, np.full(n, sending), np.zeros(n, np.int64))
    return pair


def test_a_receiver_that_keeps_up_is_not_behind() -> None:
    pair = of(receiving=PERIOD - 2)
    assert (pair.messages, pair.waited, pair.fell_behind) == (100, 0, False)
    assert pair.first_ns == pair.last_ns == pair.median_ns == PERIOD - 1


def test_times_grow_where_the_receiver_takes_longer_than_a_period() -> None:
    pair = of(receiving=PERIOD + 2)
    assert pair.fell_behind
    assert pair.waited == 99
    assert pair.first_ns < pair.median_ns < pair.last_ns
    assert of(receiving=PERIOD + 2, n=200).median_ns > 1.8 * pair.median_ns


def test_a_sender_that_takes_as_long_leaves_nothing_waiting() -> None:
    """Its messages take longer than a period, but none comes before the one before is received."""
    pair = of(receiving=PERIOD, sending=1.5 * PERIOD)
    assert pair.median_ns == pytest.approx(2.5 * PERIOD)
    assert not pair.fell_behind


def test_pairs_are_told_apart_by_their_process() -> None:
    ns = np.array([1.0, 1, 1, 30, 40, 50])
    before = PERIOD * np.arange(6.0)
    quick, slow = pairs(ns, before, np.ones(6), np.array([0, 0, 0, 3, 3, 3]))
    assert (quick.median_ns, quick.waited, quick.fell_behind) == (1, 0, False)
    assert (slow.median_ns, slow.first_ns, slow.last_ns, slow.waited) == (40, 30, 50, 2)
    assert slow.fell_behind


def test_a_single_message_waits_for_none() -> None:
    (pair,) = pairs(np.array([50.0]), np.zeros(1), np.ones(1), np.zeros(1, np.int64))
    assert (pair.messages, pair.waited, pair.fell_behind) == (1, 0, False)
    assert pair.first_ns == pair.last_ns == 50
