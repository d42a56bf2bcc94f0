# SPDX-License-Identifier: Apache-2.0
"""Why counters have no value: the machine is not blamed for what was recorded otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from support.probe_logs import header
from wirecost.results.records.probe_log import COUNTER_SOURCES, Counter, ProbeLog, read_log
from wirecost.results.report.probe.tables import absent_notes


def log(folder: Path, *counters: Counter) -> ProbeLog:
    path = folder / "a.wprobe"
    path.write_bytes(header([]))
    return replace(read_log(path), counters=counters)


def test_the_reason_is_that_of_the_recording(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    own = log(tmp_path, Counter("instructions", "n/a"), Counter("allocations", "n/a"))
    assert absent_notes([own]) == snapshot
    outside = log(
        tmp_path,
        Counter("minor-faults", "counted", COUNTER_SOURCES[7]),
        Counter("run-queue-wait-ns", "n/a"),
    )
    assert absent_notes([outside]) == snapshot


def test_what_one_log_has_is_not_absent(tmp_path: Path) -> None:
    counted, other = Counter("allocations", "counted"), Counter("allocations", "n/a")
    assert absent_notes([log(tmp_path, counted), log(tmp_path, other)]) == []
