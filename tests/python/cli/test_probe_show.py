# SPDX-License-Identifier: Apache-2.0
"""Sentences of ``probe show`` on a slow callback: its own computation, and what to record next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from support.probe_logs import header, record
from wirecost.cli.probe_show import show

MS = 1_000_000
COUNT = 60
NAMES = [(0, "callback"), (1, "fill"), (2, "note")]
OWN = "this code's own processor time"


def write(
    folder: Path,
    counters: Sequence[str],
    counts: dict[str, float],
    inner: dict[int, float] | None = None,
) -> None:
    """Write executions that compute for 30 ms and wait up to 40 ms.

    ``counts``: of every one, as a share of the time computed or, if negative, waited. ``inner``:
    sections by their share of it all."""
    content = header([(name, 1) for name in counters], NAMES)
    random = np.random.default_rng(3)
    begin = sequence = 0
    for waited in random.integers(10 * MS, 40 * MS, COUNT):
        begin += 200 * MS
        ns = 30 * MS + int(waited)
        values = [
            int(counts[name] * 30 * MS if counts[name] >= 0 else -counts[name] * waited)
            for name in counters
        ]
        for section, share in {**(inner or {}), 0: 1.0}.items():
            sequence += 1
            parts = [int(share * one) for one in values]
            content += record(
                sequence,
                begin,
                begin + int(share * ns),
                section=section,
                parent=0 if section else 0xFFFFFFFF,
                depth=1 if section else 0,
                counted=(1 << len(counters)) - 1,
                counters=parts,
            )
    (folder / "a.wprobe").write_bytes(content)


def shown(capsys: pytest.CaptureFixture[str], folder: Path, limit_ns: float | None = None) -> str:
    show([folder], limit_ns, None)
    return capsys.readouterr().out


def printed(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    return " ".join(shown(capsys, folder).split())


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


WAITS = ("run-queue-wait-ns", "blocked-ns")
KNOWN = {"run-queue-wait-ns": -1.0, "blocked-ns": 0.0, "perf::TASK-CLOCK": 1.0}


@pytest.mark.parametrize("counters", [WAITS, ("run-queue-wait-ns", "perf::TASK-CLOCK")])
def test_what_no_counter_explains_is_the_code_itself_where_that_is_known(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    counters: Sequence[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, counters, KNOWN)
    assert shown(capsys, tmp_path) == snapshot


def test_nothing_is_claimed_of_time_that_may_have_been_waited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, ["minor-faults"], {"minor-faults": 0.0})
    assert OWN not in printed(capsys, tmp_path)
    counts = {"run-queue-wait-ns": -1.0, "perf::TASK-CLOCK": 0.1}
    write(tmp_path, list(counts), counts)
    assert OWN not in printed(capsys, tmp_path)


def test_the_section_inside_that_computes_most_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, WAITS, KNOWN, {1: 0.9, 2: 0.005})
    assert shown(capsys, tmp_path) == snapshot


def test_what_to_record_next_is_right_below_the_times(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, ["context-switches"], {"context-switches": -1e-6})
    assert shown(capsys, tmp_path) == snapshot


def test_times_among_counters_have_units(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, [*WAITS, "perf::TASK-CLOCK"], KNOWN)
    assert shown(capsys, tmp_path) == snapshot


def test_columns_that_are_hidden_have_no_caption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, WAITS, KNOWN)
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, tmp_path)
    assert "other 99 %: " not in text
    monkeypatch.setenv("COLUMNS", "160")
    assert "other 99 %: " in printed(capsys, tmp_path)


def test_an_event_that_misses_the_deadline_is_listed_once(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, ["minor-faults"], {"minor-faults": 0.0}, {1: 0.95})
    assert shown(capsys, tmp_path, 45.0 * MS).split("Missed deadlines")[1] == snapshot
