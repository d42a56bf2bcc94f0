# SPDX-License-Identifier: Apache-2.0
"""Contenders of the study of probes that do not do their work are found out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.probe_logs import header, record
from wirecost_scenarios.probe.program import Planted, ProbeContender
from wirecost_scenarios.probe.verification import absent, fault

SECTION = ProbeContender(
    1, "software counters", "section", "", ("minor-faults",), "sections", 2, ""
)
FLOOR = replace(SECTION, name="floor", records="")
PAGES = [1, 2, 3]


def planted(counted: list[int], ns: int = 5) -> list[Planted]:
    return [Planted(p, 1000 * p, ns, c) for p, c in zip(PAGES, counted, strict=True)]


def log(
    folder: Path, counts: list[int], *, kind: int = 1, status: int = 1, counted: int = 1
) -> Path:
    folder.mkdir()
    records = [
        record(i + 1, i, i + 1, kind=kind, part=i % 2, counted=counted, counters=[count])
        for i, count in enumerate(counts)
    ]
    content = header([("minor-faults", status)]) + b"".join(records)
    (folder / "a.wprobe").write_bytes(content)
    return folder


def test_what_was_planted_is_accepted(tmp_path: Path) -> None:
    assert fault(FLOOR, planted(PAGES), 0, tmp_path / "none") is None
    assert fault(SECTION, planted(PAGES), 0, log(tmp_path / "log", PAGES)) is None
    marks = replace(SECTION, counters=(), records="marks")
    assert fault(marks, planted(PAGES), 0, log(tmp_path / "marks", [0] * 6, kind=2)) is None


@pytest.mark.parametrize("counts", [[1, 2, 2], [0, 0, 0], [1, 2, 90]])
def test_other_faults_than_those_planted_are_reported(tmp_path: Path, counts: list[int]) -> None:
    assert "it counted" in str(fault(FLOOR, planted(counts), 0, tmp_path / "none"))
    assert "it counted" in str(fault(SECTION, planted(PAGES), 0, log(tmp_path / "log", counts)))


def test_instructions_may_be_more_but_not_fewer(tmp_path: Path) -> None:
    hardware = replace(FLOOR, counters=("instructions",))
    assert fault(hardware, planted([1000, 9000, 3001]), 0, tmp_path / "none") is None
    assert "999 instructions" in str(
        fault(hardware, planted([999, 2000, 3000]), 0, tmp_path / "none")
    )


def test_a_log_that_is_not_whole_is_reported(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    logs = {
        "short": log(tmp_path / "short", [1, 2]),
        "without values": log(tmp_path / "without", PAGES, counted=0),
        "of marks": log(tmp_path / "marks", PAGES, kind=2),
        "absent": tmp_path,
    }
    faults = {name: fault(SECTION, planted(PAGES), 0, folder) for name, folder in logs.items()}
    assert faults == snapshot


def test_a_clock_that_stands_still_is_reported(tmp_path: Path) -> None:
    clock = replace(FLOOR, counters=())
    assert fault(clock, planted([-1] * 3), 0, tmp_path / "none") is None
    assert "no time" in str(fault(clock, planted([-1] * 3, ns=0), 0, tmp_path / "none"))


def test_switched_off_means_no_log(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    off = replace(FLOOR, counters=(), mode="off")
    assert fault(off, planted([-1] * 3, ns=-1), 0, tmp_path / "none") is None
    assert fault(off, planted([-1] * 3), 0, tmp_path) == snapshot


def test_a_counter_that_the_machine_lacks_is_no_fault(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    logs = log(tmp_path / "log", PAGES, status=0, counted=0)
    assert absent(SECTION, logs) == snapshot
    assert absent(SECTION, log(tmp_path / "all", PAGES)) is None
    assert absent(SECTION, tmp_path / "none") is None
