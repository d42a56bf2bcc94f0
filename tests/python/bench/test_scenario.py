# SPDX-License-Identifier: Apache-2.0
"""Common parts of all scenarios: rounds that count, contenders that fail, progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wirecost.measure.bench.engine.entry import Entry, StageSample
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.results.records.finished import NothingMeasuredError, read_journal
from wirecost.results.records.journal import Journal
from wirecost.system.children import ProgramFailedError


def entries(*names: str) -> list[Entry[str]]:
    return [Entry(name, name, {"case": "c", "contender": name}) for name in names]


def sample(key: str, repetition: int) -> StageSample:
    return StageSample(key, repetition, "total", 10.0 * repetition)


def measured(folder: Path, names: tuple[str, ...], action: Any) -> list[tuple[int, int, str]]:
    """``action(case)`` of a case of two samples each; the progress."""
    seen: list[tuple[int, int, str]] = []
    measurement = Measurement("osi", Journal(folder), lambda *now: seen.append(now))
    measurement.about(total=2 * len(names))
    with measurement.case("c", entries(*names), 2) as case:
        action(case)
    return seen


def test_rounds_that_ended_count_and_the_last_one_does_not(tmp_path: Path) -> None:
    def action(case: Any) -> None:
        case.keep([sample("a", 0), sample("b", 0)])
        case.entries[0].row(stage="total", repetition=1, ns=1.0)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path, ("a", "b"), action)
    meta, samples = read_journal(tmp_path)
    assert [run["contender"] for run in meta["runs"]] == ["a", "b"]
    assert samples["repetition"].to_list() == [0, 0]


def test_a_program_that_serves_all_fails_for_all_that_have_not_failed_before(
    tmp_path: Path,
) -> None:
    def action(case: Any) -> None:
        with case.entries[1].failing(ValueError):
            raise ValueError("alone")
        assert [entry.key for entry in case.running] == ["a"]
        case.keep([sample("a", 0)])
        raise ProgramFailedError("together")

    measured(tmp_path, ("a", "b"), action)
    with pytest.raises(NothingMeasuredError, match="a: together; b: alone"):
        read_journal(tmp_path)


def test_who_does_not_take_part_has_no_record(tmp_path: Path) -> None:
    def action(case: Any) -> None:
        case.entries[0].missing = "no counter"
        case.keep([sample("b", 0)])

    measured(tmp_path, ("a", "b"), action)
    meta, _ = read_journal(tmp_path)
    assert [run["contender"] for run in meta["runs"]] == ["b"]


def test_what_is_learnt_while_measuring_is_in_the_record(tmp_path: Path) -> None:
    def action(case: Any) -> None:
        case.entries[0].bytes = 7
        case.keep([sample("a", 0)])
        case.entries[0].facts["peak"] = 3
        case.entries[0].digest = "d"

    measured(tmp_path, ("a",), action)
    meta, samples = read_journal(tmp_path)
    assert meta["runs"][0] == {
        "case": "c",
        "contender": "a",
        "message_bytes": 7,
        "message_digest": "d",
        "peak": 3,
        "failure": None,
    }
    assert samples["bytes"].to_list() == [7]


def test_progress_adds_up(tmp_path: Path) -> None:
    def action(case: Any) -> None:
        for entry in (*case.running, *reversed(case.running)):
            case.report(entry.key, 1)

    assert measured(tmp_path, ("a", "b"), action)[-1] == (4, 4, "c: a")


def test_progress_never_goes_back(tmp_path: Path) -> None:
    """Neither between cases nor behind those of which nobody knows the number of samples."""
    seen: list[tuple[int, int]] = []
    measurement = Measurement("osi", Journal(tmp_path), lambda done, of, _: seen.append((done, of)))
    measurement.report("compiling")
    measurement.about(total=4)
    for known in (0, 2):
        measurement.report("compiling")
        with measurement.case("c", entries("a"), known) as case:
            for _ in range(2):
                case.report("a", 1)
    measurement.report("the rest")
    assert seen == [(0, 1), (0, 4), (1, 4), (2, 4), (2, 4), (3, 4), (4, 4), (4, 4)]


def test_a_case_that_nobody_can_take_part_in_measures_nothing(tmp_path: Path) -> None:
    def action(case: Any) -> None:
        assert case.running == []
        case.keep()

    measured(tmp_path, (), action)
    with pytest.raises(NothingMeasuredError):
        read_journal(tmp_path)
