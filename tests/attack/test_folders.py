# SPDX-License-Identifier: Apache-2.0
"""Damaged result folders for a moment; ``make attack`` has hours, ``WIRECOST_ATTACK`` a number."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attack.crew import brief, kept
from attack.folders import FOLDERS, TABLES, good
from attack.target import Target

CORPUS = Path(__file__).with_name("corpus")
COUNT = int(os.environ.get("WIRECOST_ATTACK", "40"))


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
