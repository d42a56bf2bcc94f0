# SPDX-License-Identifier: Apache-2.0
"""Recorded calls that answer a request."""

from __future__ import annotations

from wirecost.replay.answers import Answers
from wirecost.replay.middleware import Call


def call(request: bytes, reply: bytes, error: str | None = None) -> Call:
    return Call("/x", "", 0, 0, request, reply, error)


def test_equal_requests_are_answered_in_recorded_order_then_by_the_last() -> None:
    recorded = [call(b"a", b"1"), call(b"b", b"2"), call(b"a", b"", "failed")]
    answers = Answers(recorded)
    assert [answers.to(b"a") for _ in range(3)] == [recorded[0], recorded[2], recorded[2]]
    assert answers.to(b"b") == recorded[1]
    assert answers.to(b"c") is None
