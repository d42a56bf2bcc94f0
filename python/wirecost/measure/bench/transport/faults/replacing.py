# SPDX-License-Identifier: Apache-2.0
"""A publisher that goes and another one that takes its place."""

from __future__ import annotations

import time
from collections.abc import Callable

from wirecost.measure.bench.transport.faults import judging
from wirecost.measure.bench.transport.faults.course import BEFORE_S, EVERYTHING, QUIET_S, Course
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, Message, Setup
from wirecost.measure.bench.transport.protocol import Rows
from wirecost.measure.bench.transport.session import START_S
from wirecost.system.channel.process import Channel

AFTER_S = 5.0
"""Seconds that the second publisher sends."""
SUBSCRIBERS = 2


def replace(setup: Setup, go: Callable[[Channel], None]) -> FaultOutcome:
    """Let the first publisher end by ``go``, and another one come. Raises ProgramFailedError.

    The messages of the first one are those that arrived, since a killed process writes no records.
    """
    outcome = FaultOutcome()
    with Course(setup, SUBSCRIBERS) as course:
        second = course.spare("publisher", 0)
        run = course.another_run()
        listening = [course.listen(receiver, run) for receiver in course.receivers]
        first = course.speak(course.sender, run, BEFORE_S + AFTER_S)
        time.sleep(BEFORE_S)
        outcome.memory_bytes_before = course.memory()
        fault_ns = time.monotonic_ns()
        go(course.sender)
        before = course.received(listening, EVERYTHING)
        course.sender = second
        run = course.another_run()
        listening = [course.listen(receiver, run) for receiver in course.receivers]
        opened_ns = course.open(second, "publisher", 0)
        second.receive(START_S)
        speaking = course.speak(second, run, AFTER_S)
        sent = course.sent(speaking, AFTER_S)
        after = course.received(listening, len(sent), QUIET_S)
        outcome.memory_bytes_after = course.memory()
    firsts = [judging.first_after(sent, received, 0) for received in after]
    if None not in firsts:
        outcome.recovered_ns = (
            max(first_ns for first_ns in firsts if first_ns is not None) - opened_ns
        )
    gone, count_before = _gaps(before)
    outcome.lost = gone + sum(judging.lost(sent, received) for received in after)
    outcome.duplicates = sum(judging.duplicates(received) for received in (*before, *after))
    outcome.messages = [
        *_assumed(before, count_before, first.start_ns, setup.rate, fault_ns),
        *judging.timeline(sent, [(0, received) for received in after], fault_ns),
    ]
    outcome.others = (
        f"of the first publisher's messages {gone} are missing between others; the second one "
        f"sent {len(sent)}, its first {judging.in_ms(int(sent[0, 2]) - opened_ns)} after it was "
        "asked to open"
    )
    return outcome


def _gaps(received: list[Rows]) -> tuple[int, int]:
    """Return missing messages up to the last that anybody got, and the number of those."""
    count = max((int(rows[:, 0].max()) + 1 for rows in received if len(rows)), default=0)
    return sum(count - len(judging.arrivals(rows)) for rows in received), count


def _assumed(
    received: list[Rows], count: int, start_ns: int, rate: float, fault_ns: int
) -> list[Message]:
    """Return the first publisher's messages, sent when they were due."""
    messages: list[Message] = []
    for rows in received:
        there = judging.arrivals(rows)
        for number in range(count):
            due = start_ns + round(number * 1e9 / rate)
            at = there.get(number)
            messages.append([due - fault_ns, None if at is None else at - due, 0])
    return messages
