# SPDX-License-Identifier: Apache-2.0
"""The stages of measured steps, as far as the models' logs hold whole steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirecost.results.records.finished import NothingMeasuredError, read_journal
from wirecost.results.records.journal import Journal
from wirecost.results.records.osi_steps import step_samples
from wirecost.results.records.stages import STAGES
from wirecost.system.errors import UserError

EVENTS = {
    "source": ("StartSourceCalc", "StartOSISerialize", "StopOSISerialize", "StopRelease"),
    "model": (
        "StartOSIDeserialize", "StopOSIDeserialize", "StartOSISerialize", "StopOSISerialize",
        "StopRelease",
    ),
}  # fmt: skip


def write_log(folder: Path, model: str, steps: int, left_out: int | None = None) -> None:
    """``left_out``: a step whose release was not recorded."""
    types = list(dict.fromkeys(name for names in EVENTS.values() for name in names))
    events = []
    for step in range(steps):
        for at, name in enumerate(EVENTS[model]):
            if (step, name) != (left_out, "StopRelease"):
                ns = 1000 * step + 10 * at
                events.append([types.index(name), ns / 1e9, 0.02 * step, 0, 100, ns])
    fields = ["EventId", "GlobalTime", "SimulationTime", "MessageId", "MessageSize"]
    document = {
        "Header": {
            "OsiMessages": ["osi3::SensorView"],
            "EventFields": [*fields, "MonotonicNanoseconds"],
            "EventTypes": types,
        },
        "Data": [{"Instance": {"ModelIdentity": model}, "OsiEvents": events}],
    }
    (folder / f"{model}.json").write_text(json.dumps(document))


def test_every_stage_of_every_step(tmp_path: Path) -> None:
    for model in EVENTS:
        write_log(tmp_path, model, 6)
    steps = step_samples([(2, [7, 8]), (4, [9])], tmp_path)
    assert set(steps["stage"]) == set(STAGES)
    assert steps.filter(stage="transfer")["ns"].to_list() == [7, 8, 9]
    assert steps["repetition"].unique().to_list() == [0, 1, 2]


def test_a_step_that_is_not_whole_ends_them(tmp_path: Path) -> None:
    """Repetitions have no gaps: those of all contenders are compared by their numbers."""
    write_log(tmp_path, "source", 6)
    write_log(tmp_path, "model", 4)
    steps = step_samples([(0, [1] * 6)], tmp_path)
    assert steps.group_by("stage").len()["len"].unique().to_list() == [4]
    write_log(tmp_path, "model", 6, left_out=2)
    steps = step_samples([(0, [1] * 6)], tmp_path)
    assert steps.group_by("stage").len()["len"].unique().to_list() == [2]
    write_log(tmp_path, "model", 0)
    with pytest.raises(UserError, match="hold none of the measured steps"):
        step_samples([(0, [1] * 6)], tmp_path)


def journal_of(folder: Path, processes: dict[int, int], steps: int) -> None:
    """Write contender ``a``: each process with so many steps in its models' logs.

    Of these, ``steps`` were measured."""
    journal = Journal(folder)
    journal.about(scenario="osi")
    run = journal.run({"contender": "a", "failure": None}, {"contender": "a"}, folder / "logs")
    for process, logged in processes.items():
        where = folder / "logs" / str(process)
        where.mkdir(parents=True)
        for model in EVENTS:
            write_log(where, model, logged)
        run.steps(process, 1, [process] * steps)
    journal.close()


def test_repetitions_are_counted_over_all_processes(tmp_path: Path) -> None:
    journal_of(tmp_path, {0: 4, 1: 4, 2: 4}, 2)
    samples = read_journal(tmp_path)[1].filter(stage="transfer")
    assert samples["repetition"].to_list() == [0, 1, 2, 3, 4, 5]
    assert samples["process"].to_list() == samples["ns"].to_list() == [0, 0, 1, 1, 2, 2]


def test_a_process_that_is_not_whole_ends_them(tmp_path: Path) -> None:
    journal_of(tmp_path, {0: 4, 1: 2, 2: 4}, 2)
    samples = read_journal(tmp_path)[1].filter(stage="transfer")
    assert samples["process"].to_list() == [0, 0, 1]


def test_no_step_of_the_first_process_is_a_failure(tmp_path: Path) -> None:
    journal_of(tmp_path, {0: 0, 1: 4}, 2)
    with pytest.raises(NothingMeasuredError, match="hold none of the measured steps"):
        read_journal(tmp_path)
