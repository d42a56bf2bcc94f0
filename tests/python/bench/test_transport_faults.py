# SPDX-License-Identifier: Apache-2.0
"""Faults of ``bench transport``: what records say about them, and how they are chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.transport.faults import course, judging, registry
from wirecost.measure.bench.transport.protocol import Rows
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

MS = 1_000_000


def _sent(*rows: tuple[int, int, int]) -> Rows:
    """Return rows of number, begin and end in milliseconds; due at the begin."""
    return np.array([(n, b * MS, b * MS, e * MS) for n, b, e in rows], np.int64).reshape(-1, 4)


def _received(*rows: tuple[int, int]) -> Rows:
    """Return rows of number and milliseconds."""
    return np.array([(n, at * MS, 1) for n, at in rows], np.int64).reshape(-1, 3)


SENT = _sent((0, 10, 11), (1, 20, 22), (2, 30, -31), (3, 40, 49), (4, 50, 51))
RECEIVED = _received((0, 12), (3, 60), (1, 61), (3, 62), (-2, 63))
"""Message 2 was refused, 4 is lost, 3 came twice, 1 after a later one, and one cannot be read."""


def test_losses_are_of_what_was_taken() -> None:
    assert judging.lost(SENT, RECEIVED) == 1
    assert judging.lost(SENT, _received()) == 4
    assert judging.lost(SENT, _received(), since_ns=20 * MS, until_ns=50 * MS) == 2
    assert judging.duplicates(RECEIVED) == 1 and judging.duplicates(_received()) == 0


def test_the_first_message_after_a_moment() -> None:
    assert judging.first_after(SENT, RECEIVED, 0) == 12 * MS
    assert judging.first_after(SENT, RECEIVED, 20 * MS) == 60 * MS
    assert judging.first_after(SENT, RECEIVED, 50 * MS) is None


def test_a_time_line_has_each_message_for_each_subscriber() -> None:
    messages = judging.timeline(SENT, [(0, RECEIVED), (1, _received())], 30 * MS)
    assert messages[:5] == [
        [-20 * MS, 2 * MS, 0], [-10 * MS, 41 * MS, 0], [0, None, 0], [10 * MS, 20 * MS, 0],
        [20 * MS, None, 0],
    ]  # fmt: skip
    assert [row[1:] for row in messages[5:]] == [[None, 1]] * 5


def test_who_else_suffers(snapshot: SnapshotAssertion) -> None:
    assert judging.worst(SENT, RECEIVED, 0, 20 * MS) == 2 * MS
    assert judging.worst(SENT, RECEIVED, 50 * MS, 60 * MS) is None
    assert judging.longest_call(SENT, 0, 40 * MS) == 2 * MS
    sentences = judging.others(SENT, RECEIVED, 30 * MS), judging.others(_sent(), _received(), 0)
    assert sentences == snapshot


def test_damaged_messages_are_a_failure() -> None:
    assert course.undamaged(RECEIVED) is RECEIVED
    damaged = RECEIVED.copy()
    damaged[1, 2] = -1
    with pytest.raises(ProgramFailedError, match="1 message with other content"):
        course.undamaged(damaged)


def test_each_module_of_a_fault_is_found() -> None:
    by_name = registry.faults()
    assert {
        "publisher-killed", "subscriber-killed", "server-killed", "late-joiner",
        "slow-subscriber", "publisher-restarted", "queue-overflow", "many-topics",
    } == set(by_name)  # fmt: skip
    assert all("\n" not in fault.about and fault.about for fault in by_name.values())


def test_the_page_has_each_fault() -> None:
    page = (Path(__file__).parents[3] / "docs" / "transport-faults.md").read_text()
    named = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(named) == sorted(registry.faults())


def test_faults_are_chosen_by_name() -> None:
    assert registry.chosen("--faults", "all") == list(registry.faults())
    names = registry.chosen("--faults", "late-joiner,queue-overflow,late-joiner")
    assert names == ["late-joiner", "queue-overflow"]
    with pytest.raises(UserError, match="'late' is unknown: did you mean late-joiner"):
        registry.chosen("--faults", "late")


def test_times_of_a_second_and_more_are_in_seconds() -> None:
    times = (None, 1_500_000, 999_400_000, 999_600_000, 1_704_000_000, 12_340_000_000)
    assert [judging.in_ms(duration) for duration in times] == [
        "–", "1.5 ms", "999 ms", "1 s", "1.7 s", "12.3 s",
    ]  # fmt: skip
