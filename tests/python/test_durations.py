# SPDX-License-Identifier: Apache-2.0
"""Times as people type them."""

from __future__ import annotations

import pytest

from wirecost.system.durations import nanoseconds
from wirecost.system.errors import UserError


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("10", 10e6),
        ("10ms", 10e6),
        (" 2.5 ms ", 2.5e6),
        ("250us", 250e3),
        ("250µs", 250e3),
        ("250μs", 250e3),
        ("800ns", 800),
        ("1.5s", 1.5e9),
        (".5s", 0.5e9),
        ("1e-3s", 1e6),
        ("5.", 5e6),
    ],
)
def test_a_time_with_or_without_a_unit(text: str, ns: float) -> None:
    assert nanoseconds("--deadline", text) == pytest.approx(ns)


@pytest.mark.parametrize("text", ["0", "-1", "ms", "", "10h", "nan", "inf", "1e999", "1 0", "1ms2"])
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UserError, match="give a positive time such as 10ms"):
        nanoseconds("--deadline", text)
