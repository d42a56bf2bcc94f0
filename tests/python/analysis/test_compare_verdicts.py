# SPDX-License-Identifier: Apache-2.0
"""Verdicts follow from the interval of a change: none of them contradicts what is printed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirecost.results.analysis.compare.comparison import (
    FASTER,
    NOISY,
    SAME,
    SLOWER,
    UNDECIDED,
    CompareSettings,
    TimeChange,
    judged,
)
from wirecost.results.analysis.compare.quantiles import Shift

SHARES = st.floats(-0.9, 5.0)


def change_of(low: float, change: float, high: float, p: float = 1e-6) -> TimeChange:
    shift = Shift(1.0, 1.0 + change, change, (low, high), p)
    return TimeChange(("row",), "p50", 60, 60, shift)


@given(
    st.lists(SHARES, min_size=3, max_size=3),
    st.floats(0.001, 0.5),
    st.floats(0, 5),
    st.floats(0, 1),
)
def test_an_interval_beyond_the_tolerance_is_never_no_difference(
    values: list[float], margin: float, noise: float, p: float
) -> None:
    low, middle, high = sorted(values)
    (change,) = judged([change_of(low, middle, high, p)], CompareSettings(margin), lambda _: noise)
    if low > margin:
        assert change.verdict in {SLOWER, UNDECIDED}
    elif high < -margin:
        assert change.verdict in {FASTER, UNDECIDED}
    elif low <= 0 <= high:
        assert change.verdict == SAME
    if change.verdict == UNDECIDED:
        assert change.shift.why


@given(st.lists(SHARES, min_size=3, max_size=3), st.floats(0.001, 0.5))
def test_an_interval_beyond_the_tolerance_is_a_difference_where_nothing_is_noisy(
    values: list[float], margin: float
) -> None:
    low, middle, high = sorted(values)
    (change,) = judged([change_of(low, middle, high)], CompareSettings(margin))
    assert (change.verdict == SLOWER) >= (low > margin)
    assert (change.verdict == FASTER) >= (high < -margin)


def test_a_large_change_that_others_made_too_is_not_known() -> None:
    (change,) = judged([change_of(0.44, 0.56, 0.62)], CompareSettings(), lambda _: 0.7)
    assert (change.verdict, change.shift.why) == (UNDECIDED, NOISY)
