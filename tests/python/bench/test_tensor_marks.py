# SPDX-License-Identifier: Apache-2.0
"""Marks that make messages differ, so that nothing kept of one passes for another."""

from __future__ import annotations

import numpy as np
import pytest

from wirecost.measure.bench.tensor.arrays import DIGITS, PAGE_BYTES, ArraySource


def content(number: int, seed: int = 1, dtype: str = "float64") -> np.ndarray:
    source = ArraySource((5000,), dtype, "ones")
    source.seed = seed
    return source.array(number, marked=True).copy()


@pytest.mark.parametrize("dtype", ["float64", "uint8", "complex64"])
def test_every_page_has_an_element_that_is_marked(dtype: str) -> None:
    array = content(7, dtype=dtype)
    per_page = PAGE_BYTES // array.itemsize
    places = np.flatnonzero(array[DIGITS:] != 1)
    pages = -(-(array.size - DIGITS) // per_page)
    assert len(places) > 0.9 * pages - 1  # some are marked with a one
    assert len(set(places // per_page)) == len(places)


def test_messages_differ_by_number_and_by_seed() -> None:
    assert not np.array_equal(content(7)[DIGITS:], content(8)[DIGITS:])
    assert not np.array_equal(content(7), content(7, seed=2))
    assert np.array_equal(content(7), content(7))


def test_marks_are_taken_back() -> None:
    source = ArraySource((5000,), "float64", "ones")
    for number in (1, 2):
        source.array(number, marked=True)
    assert (source.array(3)[DIGITS:] == 1).all()


def test_arrays_of_a_number_alone_have_no_marks() -> None:
    source = ArraySource((2, 2), "float64", "ones")
    assert source.array(1234, marked=True).reshape(-1).tolist() == [34, 12, 0, 0]
