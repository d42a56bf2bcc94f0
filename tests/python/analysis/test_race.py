# SPDX-License-Identifier: Apache-2.0
"""Whom a race is compared with, where contenders have modes and run under several allocators."""

from __future__ import annotations

import polars as pl
import pytest

from wirecost.results.analysis.race import Name, Race

NAMES = [
    ("gencpp", "new glibc"),
    ("protobuf", "new glibc"),
    ("protobuf", "new jemalloc"),
    ("protobuf", "reused glibc"),
]


@pytest.fixture
def race() -> Race:
    rows = [
        {"contender": contender, "mode": mode, "stage": "total", "process": 0,
         "repetition": repetition, "ns": 100 + repetition}
        for contender, mode in NAMES
        for repetition in range(3)
    ]  # fmt: skip
    return Race(pl.DataFrame(rows))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (None, None),
        (("protobuf", "new jemalloc"), ("protobuf", "new jemalloc")),
        (("protobuf", "new"), ("protobuf", "new glibc")),
        (("protobuf", "reused"), ("protobuf", "reused glibc")),
        (("protobuf", ""), ("protobuf", "new glibc")),
        (("protobuf", "arena"), None),
        (("protobuf", "ne"), None),
        (("flatbuffers", "new"), None),
    ],
)
def test_a_name_stands_for_the_first_of_its_modes_and_allocators(
    race: Race, wanted: Name | None, found: Name | None
) -> None:
    assert race.without_mode(wanted) == found
