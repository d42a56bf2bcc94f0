# SPDX-License-Identifier: Apache-2.0
"""Cheats of the study of point clouds, in its program."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.measure.bench.codecs.synthetic import synthetic
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import plan
from wirecost.measure.bench.engine.program import Program
from wirecost.results.records.journal import Journal
from wirecost_scenarios.cloud import program, scans
from wirecost_scenarios.cloud.program import CloudContender
from wirecost_scenarios.cloud.turns import PLAIN, CloudWork, run_race

BUILT = Path(__file__).parents[2] / "build" / "cmake" / "tests" / "cheats" / "cloud"

REFUSED = {
    "answers-ahead": "its answers while it was timed are not honest's",
    "answers-late": "its answers while it was timed are not honest's",
    "keeps-answers": "its answers while it was timed are not honest's",
    "drops-point": "bytes where honest answers",
    "keeps-digest": "byte 0 of its answer differs from honest's",
}


class Cheats(Program):
    """The program with the cheats."""

    @property
    def path(self) -> Path:
        return BUILT / "cloud_cheats"


def test_cheats_are_refused_and_their_reasons_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(program, "PROGRAM", Cheats("cloud"))
    clouds = [cloud.tobytes() for cloud in scans.in_turns(synthetic("vlp16", 1).points, 1)]
    work = CloudWork(
        "ring", "ring", "ring", 0, clouds, ("--format", "aedt", "--rules", "corrected")
    )
    versions = program.versions("ring")
    assert {one.name for one in versions} == {"honest", *REFUSED}
    entries = [work.entry(CloudContender(one, PLAIN)) for one in versions]
    run_race(work, Case(entries, Journal(tmp_path), lambda *_: None), plan(10, 2, 1), 60)
    failures = {entry.contender.version.name: entry.failure for entry in entries}
    assert failures.pop("honest") is None
    for name, reason in REFUSED.items():
        assert reason in str(failures[name]), name
