# SPDX-License-Identifier: Apache-2.0
"""A healthy clock has no holes, however it jitters; a hole in a steady one shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecost.measure.lost.holes import steady_rate
from wirecost.measure.lost.numbers import missing_numbers

BEGIN = 1_700_000_000 * 10**9


def times_of(places: np.ndarray, period_ns: int) -> np.ndarray:
    return BEGIN + np.round(np.sort(places) * period_ns).astype(np.int64)


@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(2, 3000),
    period_ns=st.sampled_from([10**6, 10**7, 33_333_333, 10**8, 10**9]),
    amplitude=st.floats(0, 0.5),
    share=st.floats(0, 1),
    adds_up=st.booleans(),
)
def test_no_hole_in_a_healthy_recording(
    seed: int, count: int, period_ns: int, amplitude: float, share: float, adds_up: bool
) -> None:
    """Up to half a period, of every message or of a few, of its time or of its interval."""
    drawn = np.random.default_rng(seed)
    jitter = drawn.uniform(-amplitude, amplitude, count) * (drawn.random(count) < share)
    places = np.cumsum(1 + jitter) if adds_up else np.arange(count) + jitter
    rate = steady_rate(times_of(places, period_ns), np.zeros(count, np.int64))
    assert rate is None or not len(rate.before)
    assert rate is not None or count < 12


@given(
    seed=st.integers(0, 2**32 - 1),
    amplitude=st.floats(0, 0.1),
    place=st.integers(1, 900),
    lacking=st.integers(1, 90),
)
def test_a_hole_in_a_steady_clock_is_found(
    seed: int, amplitude: float, place: int, lacking: int
) -> None:
    drawn = np.random.default_rng(seed)
    places = np.arange(1000) + drawn.uniform(-amplitude, amplitude, 1000)
    left = np.delete(places, np.s_[place : place + lacking])
    rate = steady_rate(times_of(left, 10**7), np.zeros(len(left), np.int64))
    assert rate is not None
    assert rate.before.tolist() == [place - 1]
    assert rate.lacking[0] == pytest.approx(lacking, rel=0.03)


@given(st.integers(1, 10**6), st.integers(2, 4), st.integers(8, 500))
def test_publishers_that_publish_together_lose_nothing(
    apart_ns: int, publishers: int, count: int
) -> None:
    times = np.arange(count)[:, None] * 10**7 + np.arange(publishers) * apart_ns + BEGIN
    rate = steady_rate(times.ravel(), np.zeros(times.size, np.int64))
    assert rate is None or not len(rate.before)


@pytest.mark.parametrize("jumps", [[5] * 100, [BEGIN] * 5, [0, 2**62]])
def test_times_that_are_no_times_have_no_rate(jumps: list[int]) -> None:
    times = np.array(jumps, np.int64)
    assert steady_rate(times, np.zeros(len(times), np.int64)) is None


@given(
    kept=st.lists(st.booleans(), min_size=60, max_size=300),
    begin=st.integers(0, 2**32 - 1),
    swaps=st.lists(st.integers(0, 200), max_size=5),
)
def test_missing_numbers_are_exact(kept: list[bool], begin: int, swaps: list[int]) -> None:
    """Whatever is lost, though the numbers begin again, and neighbours came in another order."""
    sent = [number for number, is_kept in enumerate(kept) if is_kept or number in (0, 59)]
    lost = sent[-1] + 1 - len(sent)
    for swap in set(swaps):
        if swap % 3 == 0 and 0 < swap < len(sent) - 2:
            sent[swap], sent[swap + 1] = sent[swap + 1], sent[swap]
    numbers = np.array([(begin + number) % 2**32 for number in sent], np.int64)
    times = BEGIN + np.arange(len(sent), dtype=np.int64) * 10**7
    missing = missing_numbers(numbers, 32, times)
    if missing is None:  # more of them fall than those of a counter may
        assert (np.diff(sent) < 0).mean() > 0.1 or (np.diff(sent) > 0).mean() < 0.5
    elif missing.unit == 1:
        assert missing.counts.sum() == lost
        assert not len(missing.restarts)


@pytest.mark.parametrize("outlier", [0, 4000, 2**31])
@pytest.mark.parametrize("is_new_start", [False, True])
def test_a_number_that_is_none_and_a_new_start_are_no_losses(
    outlier: int, is_new_start: bool
) -> None:
    numbers = np.arange(5000, 5500)
    numbers[200:] -= 4900 if is_new_start else 0
    numbers[100] = outlier
    missing = missing_numbers(numbers, 32, BEGIN + np.arange(500, dtype=np.int64) * 10**7)
    assert missing is not None
    assert missing.counts.sum() == 0


@pytest.mark.parametrize("earlier", [1, 2, 20, 21, 90])
def test_nothing_is_missing_before_the_first_message(earlier: int) -> None:
    numbers = np.array([100, 100 - earlier, *range(101, 300)])
    missing = missing_numbers(numbers, 32, BEGIN + np.arange(201, dtype=np.int64) * 10**7)
    assert missing is not None
    assert missing.counts.sum() == 0
    assert not len(missing.restarts)
