# SPDX-License-Identifier: Apache-2.0
"""Series drawn of many executions: their extremes are always in it, and it stays small."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirecost.results.analysis.execution_series import envelope, histogram, tail, thinned, windows

TIMES = st.lists(st.floats(1, 1e15), min_size=1, max_size=300).map(np.array)


@settings(max_examples=80, deadline=None)
@given(y=TIMES, buckets=st.integers(1, 50))
def test_an_envelope_holds_every_bucket_once(y: np.ndarray, buckets: int) -> None:
    table = envelope(y, buckets)
    assert len(table) == min(buckets, len(y))
    assert (table["first"][0], table["last"][-1]) == (0, len(y) - 1)
    assert (table["first"][1:] == table["last"][:-1] + 1).all()
    for row in table.iter_rows(named=True):
        part = y[row["first"] : row["last"] + 1]
        assert (row["low"], row["middle"], row["high"]) == (part.min(), np.median(part), part.max())


@settings(max_examples=80, deadline=None)
@given(y=TIMES, kinds=st.integers(1, 400), most=st.integers(4, 100))
def test_thinning_keeps_the_extremes(y: np.ndarray, kinds: int, most: int) -> None:
    x = np.arange(len(y), dtype=float) % kinds
    indices = thinned(x, y, most)
    assert (np.diff(indices) > 0).all()
    assert len(indices) <= most + 3
    assert {x.min(), x.max()} <= set(x[indices])
    assert {y.min(), y.max()} <= set(y[indices])


def test_thinning_keeps_a_single_outlier_of_a_million() -> None:
    random = np.random.default_rng(3)
    x, y = random.integers(0, 5, 10**6).astype(float), random.normal(100, 1, 10**6)
    y[123_457] = 200
    indices = thinned(x, y, 500)
    assert 123_457 in indices
    assert 200 < len(indices) <= 500
    for value in range(5):
        assert y[indices][x[indices] == value].min() == y[x == value].min()


def test_windows_hold_all_in_equal_parts() -> None:
    y = np.arange(1000.0)
    table = windows(y / 10, y, [50, 100], most=60, fewest=100)
    assert table["count"].to_list() == [100] * 10
    assert table["p50"].to_list() == pytest.approx([49.5 + 100 * i for i in range(10)])
    assert table["p100"][-1] == 999
    assert table["at"][0] == pytest.approx(4.95)
    assert len(windows(y, y, [50], most=60, fewest=2000)) == 1


@settings(max_examples=80, deadline=None)
@given(y=TIMES, logarithmic=st.booleans())
def test_a_histogram_counts_all(y: np.ndarray, logarithmic: bool) -> None:
    table = histogram(y, 40, logarithmic)
    assert table["count"].sum() == len(y)
    assert table["low"].min() <= y.min()
    assert table["high"].max() >= y.max()


def test_a_tail_ends_at_the_longest_alone() -> None:
    y = np.random.default_rng(5).permutation(np.arange(1.0, 100_001))
    table = tail(y, 400)
    assert len(table) <= 400
    assert table.row(0) == (1.0, 1.0)
    assert table.row(-1) == (100_000.0, 1e-5)
    for value, share in table.iter_rows():
        assert (y >= value).mean() == pytest.approx(share)
    assert table["y"][-10:].to_list() == [float(v) for v in range(99_991, 100_001)]
