# SPDX-License-Identifier: Apache-2.0
"""The bootstrap says what it should about series whose answer is known."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wirecost.analysis.intervals import Resampler, median, ratio


def test_intervals_cover_the_true_median_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        samples = random.exponential(size=51)
        found = median(samples, Resampler(51).medians(samples))
        covered += found.low <= np.log(2) <= found.high
    assert 175 <= covered <= 200


def test_noise_common_to_both_cancels_in_a_ratio() -> None:
    random = np.random.default_rng(4)
    load = random.uniform(1, 10, size=101)
    resampler = Resampler(101)
    one, other = 2 * load, load
    found = ratio(one, resampler.medians(one), other, resampler.medians(other))
    assert found is not None
    assert (found.value, found.low, found.high) == (2, 2, 2)


@given(arrays(np.float64, st.integers(1, 30), elements=st.floats(1, 1e12)))
def test_the_median_lies_in_its_interval(samples: np.ndarray) -> None:
    found = median(samples, Resampler(len(samples)).medians(samples))
    assert samples.min() <= found.low <= found.high <= samples.max()
    assert found.value == np.median(samples)


def test_a_ratio_to_nothing_is_none() -> None:
    zeros = np.zeros(3)
    assert ratio(zeros, zeros, zeros, zeros) is None
