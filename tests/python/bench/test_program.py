# SPDX-License-Identifier: Apache-2.0
"""Programs by lines: what they measured, and how they fail."""

from __future__ import annotations

import sys

import pytest

from wirecost.bench import program
from wirecost.bench.program import Program, ProgramFailedError
from wirecost.errors import UserError


def test_samples_are_parted_by_repetition_and_sums_kept_apart() -> None:
    sums: dict[str, int] = {}
    lines = ["a\t0\ttotal\t1", "a\t0\tread\t2", "a\t1\ttotal\t3", "a\t0\tsum\t42"]
    reported: list[int] = []
    found = list(
        program.rounds(program.samples(lines, sums), lambda _, count: reported.append(count))
    )
    assert [[one.ns for one in turn] for turn in found] == [[1.0, 2.0], [3.0]]
    assert sums == {"a": 42}
    assert reported == [1, 0, 1]


def test_a_program_that_is_missing_or_fails_is_named() -> None:
    with pytest.raises(UserError, match="nowhere is not installed; install wirecost"):
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
