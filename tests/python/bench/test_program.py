# SPDX-License-Identifier: Apache-2.0
"""Programs by lines: what they measured, and how they fail."""

from __future__ import annotations

import sys

import pytest

from wirecost.measure.bench.engine import program
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.engine.program import Program
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError


def test_samples_are_parted_by_repetition() -> None:
    samples = [
        StageSample("a", 0, "total", 1),
        StageSample("a", 0, "read", 2),
        StageSample("a", 1, "total", 3),
    ]
    counts: list[int] = []
    rounds = list(program.rounds(samples, lambda _, count: counts.append(count)))
    assert [[sample.ns for sample in turn] for turn in rounds] == [[1, 2], [3]]
    assert counts == [1, 0, 1]


def test_a_program_that_is_missing_or_fails_is_named() -> None:
    with pytest.raises(UserError, match="nowhere: this file is missing; install wirecost"):
        Program("nowhere").check_installed()
    lines = program.run([sys.executable, "-c", "print(1)\nraise SystemExit('why')"])
    assert next(lines) == "1"
    with pytest.raises(ProgramFailedError, match=r"` ended with status 1: why$"):
        next(lines)


def test_a_line_that_was_cut_off_is_none() -> None:
    code = "import os; os.write(1, b'a\\tb\\nc'); os.abort()"
    lines = program.run([sys.executable, "-c", code])
    assert next(lines) == "a\tb"
    with pytest.raises(ProgramFailedError, match="SIGABRT"):
        next(lines)
