# SPDX-License-Identifier: Apache-2.0
"""Runs whose intervals are known to hold the median of all, or not."""

from __future__ import annotations

import numpy as np

from acceptance.repeatability import Series


def test_intervals_that_hold_the_median_of_all_are_counted() -> None:
    medians = np.array([10.0, 11.0, 12.0, 20.0])
    one = Series("total", "c", "a", medians, medians - 1, medians + 1)
    assert one.centre == 11.5
    assert one.held == 2
    assert one.spread == 2
