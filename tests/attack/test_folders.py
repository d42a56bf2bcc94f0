# SPDX-License-Identifier: Apache-2.0
"""Damaged result folders for a moment; ``make attack`` has hours, ``WIRECOST_ATTACK`` a number."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from attack.crew import brief, kept
from attack.folder_edits import unpacked
from attack.folders import FOLDERS, TABLES, good, many, report_of
from attack.meter import Limit, Meter, prepare, slowness
from attack.target import Target

CORPUS = Path(__file__).with_name("corpus")
COUNT = int(os.environ.get("WIRECOST_ATTACK", "40"))
LIMIT = Limit(
    bytes_per_byte=500,
    free_bytes=128 << 20,
    nanoseconds_per_byte=20_000,
    free_nanoseconds=2_000_000_000,
)
"""Limit on what ``wirecost report`` may take for a folder of so many bytes."""


def test_good_folders_are_read() -> None:
    """The folders of tests/data are read by other tests; these are made here."""
    for name in ("logs", "journal"):
        FOLDERS.read(good()[name])
    for data in TABLES.corpus():
        TABLES.read(data)


@pytest.mark.parametrize(("target", "count"), [(FOLDERS, COUNT), (TABLES, 5 * COUNT)])
def test_damaged_folders_are_read_or_refused_in_one_line(target: Target, count: int) -> None:
    assert brief(target, count) == []


@pytest.mark.parametrize("target", [FOLDERS, TABLES], ids=lambda target: target.name)
def test_what_once_found_a_fault_finds_none(target: Target) -> None:
    assert kept(target, CORPUS) == []


@pytest.mark.parametrize(("races", "contenders"), [(1200, 1), (1, 1200), (40, 30)])
def test_many_small_parts_cost_what_they_weigh(races: int, contenders: int) -> None:
    data = many(races, contenders)
    size = sum(map(len, unpacked(data).values()))
    report_of(many(1, 2))
    prepare()
    cost, raised = Meter().measured(lambda: report_of(data))
    assert raised is None
    limit = replace(LIMIT, nanoseconds_per_byte=LIMIT.nanoseconds_per_byte * slowness())
    assert limit.excess(cost, size) == ""
