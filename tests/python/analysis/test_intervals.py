# SPDX-License-Identifier: Apache-2.0
"""The bootstrap says what it should about series whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wirecost.results.analysis.intervals import Resampler, median, ratio


def one_process(repetitions: int) -> np.ndarray:
    return np.zeros(repetitions, np.int64)


def test_intervals_cover_the_true_median_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        samples = random.exponential(size=51)
        interval = median(samples, Resampler(one_process(51)).medians(samples))
        covered += interval.low <= np.log(2) <= interval.high
    assert 175 <= covered <= 200


def test_samples_of_a_process_that_resemble_each_other_are_not_taken_for_independent_ones() -> None:
    random = np.random.default_rng(5)
    processes = np.repeat(np.arange(10), 10)
    covered = np.zeros(2)
    for _ in range(200):
        samples = np.exp(random.normal(0, 0.1, 10)[processes] + random.normal(0, 0.02, 100))
        for level, of in enumerate((one_process(100), processes)):
            interval = median(samples, Resampler(of).medians(samples))
            covered[level] += interval.low <= 1 <= interval.high
    assert covered[0] < 120
    assert covered[1] >= 175


@pytest.mark.parametrize("counts", [(3, 3, 3), (1, 5), (7, 2, 1, 1)])
def test_every_repetition_is_drawn_with_its_process(counts: tuple[int, ...]) -> None:
    processes = np.repeat(np.arange(len(counts)), counts)
    random = np.random.default_rng(6)
    drawn = Resampler(processes)._draw(random, 5000)
    assert set(drawn.ravel()) == set(range(len(processes)))
    shares = np.bincount(processes[drawn].ravel()) / drawn.size
    assert np.allclose(shares, 1 / len(counts), atol=0.03)


def test_noise_common_to_both_cancels_in_a_ratio() -> None:
    random = np.random.default_rng(4)
    load = random.uniform(1, 10, size=101)
    resampler = Resampler(one_process(101))
    doubled, other = 2 * load, load
    interval = ratio(doubled, resampler.medians(doubled), other, resampler.medians(other))
    assert interval is not None
    assert (interval.value, interval.low, interval.high) == (2, 2, 2)


@given(arrays(np.float64, st.integers(1, 30), elements=st.floats(1, 1e12)))
def test_the_median_lies_in_its_interval(samples: np.ndarray) -> None:
    interval = median(samples, Resampler(one_process(len(samples))).medians(samples))
    assert samples.min() <= interval.low <= interval.high <= samples.max()
    assert interval.value == np.median(samples)


def test_a_ratio_to_nothing_is_none() -> None:
    zeros = np.zeros(3)
    assert ratio(zeros, zeros, zeros, zeros) is None
