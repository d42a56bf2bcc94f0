# SPDX-License-Identifier: Apache-2.0
"""Numbers are rounded before their unit and their number of digits are chosen."""

from __future__ import annotations

import pytest

from wirecost.results.report.shared import units


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (0.5, "0.50 ns"),
        (9.996, "10.0 ns"),
        (99.96, "100 ns"),
        (999.4, "999 ns"),
        (999.5, "1.00 µs"),
        (999_600, "1.00 ms"),
        (-999_600, "-1.00 ms"),
        (999_400, "999 µs"),
        (43_210_000, "43.2 ms"),
        (999_600_000, "1.00 s"),
        (12_345e9, "12345 s"),
    ],
)
def test_times(ns: float, text: str) -> None:
    assert units.time(ns) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (999_949, "1.00 MB"), (999_499, "999 kB")],
)
def test_sizes(count: int, text: str) -> None:
    assert units.size(count) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0996, "0.10"), (0.0994, "0.099"), (9.994, "9.99"), (9.996, "10.0"), (99.96, "100")],
)
def test_significant_digits(value: float, text: str) -> None:
    assert units.significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.994, "0.99"), (0.996, "1.0"), (9.94, "9.9"), (9.96, "10"), (43.6, "44")]
)
def test_two_digits(value: float, text: str) -> None:
    assert units.two_digits(value) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.0, "as fast"),
        (1.005, "1 % slower"),
        (1.02, "2 % slower"),
        (0.98, "2 % faster"),
        (1.09, "9 % slower"),
        (1.12, "1.1× slower"),
        (1.8, "1.8× slower"),
        (9.97, "10× slower"),
        (1 / 44, "44× faster"),
    ],
)
def test_speeds(ratio: float, text: str) -> None:
    assert units.speed(ratio) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(1.01, 1.03, "1.01–1.03×"), (0.96, 0.98, "1.02–1.04×"), (1 / 47, 1 / 41, "41–47×")],
)
def test_intervals_of_speeds(low: float, high: float, text: str) -> None:
    assert units.speeds(low, high) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(1, "100.0 %"), (0.9996, "> 99.9 %"), (0.999, "99.9 %"), (0.0004, "< 0.1 %"), (0, "0.0 %")],
)
def test_only_all_is_a_hundred_per_cent(share: float, text: str) -> None:
    assert units.percent(share) == text
