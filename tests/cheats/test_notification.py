# SPDX-License-Identifier: Apache-2.0
"""Cheats of ``bench notification`` in C++ and Python, in its race."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from wirecost.bench.notification import cpp
from wirecost.bench.notification.backend import Backend, Content
from wirecost.bench.notification.cpp import Cpp
from wirecost.bench.notification.python import Python
from wirecost.bench.notification.race import run_race
from wirecost.bench.processes import plan
from wirecost.bench.program import Program, run
from wirecost.bench.scenario import Case
from wirecost.records.journal import Journal

TESTS = Path(__file__).parents[1]
BUILT = TESTS.parent / "build" / "cmake" / "tests" / "cheats" / "notification"
CONTENT = Content("realistic", 16, 1)

VERIFIED = {
    "leaves-bytes": "as sent has deliver_time",
    "shorter-message": "is not what ros1 prescribes: cut off",
    "swaps-fields": "as sent has scope",
}
"""Refused before anything is timed, and why."""
TIMED = {
    "hands-over": "it sent other content while it was timed",
    "keeps-bytes": "it sent other content while it was timed",
    "never-looks": "it read other content while it was timed",
}
TIMED_IN_PYTHON = {
    "hands-over-object": "it sent other content while it was timed",
    "keeps-results": "it sent other content while it was timed",
}


class Cheats(Program):
    """The program with the cheats."""

    @property
    def path(self) -> Path:
        return BUILT / "notification_cheats"


class CheatsInPython(Python):
    """The Python contenders' process with the cheats."""

    def _run(self, **job: Any) -> Iterable[str]:
        command = [sys.executable, "-P", "-m", "cheats.notification.worker"]
        return run(command, json.dumps(job))


def race(backend: Backend, names: set[str], folder: Path) -> dict[str, str | None]:
    """Who failed beside the honest contender, and why, under every allocator."""
    chosen = [c for c in backend.contenders() if c.name in {"honest", *names}]
    assert {c.name for c in chosen} == {"honest", *names}
    entries = [one.entry(CONTENT) for one in chosen]
    case = Case(entries, Journal(folder), lambda *_: None)
    run_race(backend, case, CONTENT, Cpp().messages(CONTENT), plan(2, 2, 1))
    for entry in entries:
        if entry.contender.name == "honest":
            assert entry.failure is None
            assert entry.samples > 0
    others = [entry for entry in entries if entry.contender.name != "honest"]
    failures = {entry.contender.name: entry.failure for entry in others}
    assert all(entry.failure == failures[entry.contender.name] for entry in others)
    return failures


@pytest.fixture
def in_cpp(monkeypatch: pytest.MonkeyPatch) -> Cpp:
    monkeypatch.setattr(cpp, "MEASURED", Cheats("notification_measured"))
    monkeypatch.setattr(cpp, "COUNTED", Cheats("notification_measured"))
    monkeypatch.setattr(cpp.shutil, "which", lambda _: None)  # what it counts is of no interest
    return Cpp(("glibc", "glibc-tuned"))


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> CheatsInPython:
    monkeypatch.setenv("PYTHONPATH", os.fspath(TESTS))
    return CheatsInPython(Cpp().messages)


def test_cheats_are_refused_before_they_are_timed_or_found_out_then(
    in_cpp: Cpp, tmp_path: Path
) -> None:
    refused = VERIFIED | TIMED
    failures = race(in_cpp, set(refused), tmp_path)
    for name, reason in refused.items():
        assert reason in str(failures[name]), name


def test_cheats_in_python_are_found_out_while_they_are_timed(
    in_python: CheatsInPython, tmp_path: Path
) -> None:
    assert race(in_python, set(TIMED_IN_PYTHON), tmp_path) == TIMED_IN_PYTHON
