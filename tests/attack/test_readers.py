# SPDX-License-Identifier: Apache-2.0
"""Readers under attack for a moment, and the crew that attacks them for hours."""

from __future__ import annotations

import os
import re
import time
from functools import partial
from pathlib import Path

import pytest

from attack import crew
from attack.crew import attack_on, brief, kept
from attack.fuzzers import BUILT, FUZZERS
from attack.outcome import Budget
from attack.readers import TARGETS
from attack.target import Target
from wirecost.system.errors import UserError

CORPUS = Path(__file__).with_name("corpus")
COUNT = 150


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_good_inputs_are_read(target: Target) -> None:
    for data in target.corpus():
        target.read(data)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_hostile_inputs_are_read_or_refused_in_one_line(target: Target) -> None:
    assert brief(target, COUNT) == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_what_once_found_a_fault_finds_none(target: Target) -> None:
    assert kept(target, CORPUS) == []


def test_every_fuzzer_is_run() -> None:
    tests = "".join(file.read_text() for file in BUILT.rglob("CTestTestfile.cmake"))
    assert set(re.findall(r"add_test\(\W*fuzz_(\w+)", tests)) == {fuzzer.name for fuzzer in FUZZERS}


def _corpus() -> list[bytes]:
    return [b"abcdefgh"]


def _behave(how: str, data: bytes) -> None:
    if how == "refuses":
        raise UserError("input: is bad; give another")
    if how == "two lines":
        raise UserError("input: is bad\nvery bad")
    if how == "raises":
        raise KeyError("x")
    if how == "dies":
        os.abort()
    if how == "grows":
        bytearray(2 * crew.MEMORY)
    if how == "litters":
        Path("left").write_bytes(data)
    if how == "leaves a folder":
        Path("private/inner").mkdir(parents=True, exist_ok=True)
    if how == "hangs":
        time.sleep(60)


@pytest.mark.parametrize(
    ("how", "found"),
    [
        ("two lines", "RefusalError"),
        ("raises", "KeyError"),
        ("dies", "SIGABRT"),
        ("grows", "MemoryError"),
        ("litters", "leaves files"),
        ("hangs", "hangs"),
    ],
)
def test_the_crew_finds_and_keeps(how: str, found: str, tmp_path: Path) -> None:
    target = Target("t", _corpus, partial(_behave, how), patience=5.0)
    outcome = attack_on(target)(Budget(1), tmp_path)
    (fault,) = outcome.faults
    assert found in fault.what
    assert fault.kept.read_bytes() == target.input(_corpus(), 0, 0)


@pytest.mark.parametrize("how", ["reads", "refuses", "leaves a folder"])
def test_the_crew_counts(how: str, tmp_path: Path) -> None:
    outcome = attack_on(Target("t", _corpus, partial(_behave, how)))(Budget(500), tmp_path)
    assert (outcome.inputs, outcome.faults) == (500, [])
    assert outcome.accepted == (0 if how == "refuses" else 500)
    assert list(tmp_path.iterdir()) == []
