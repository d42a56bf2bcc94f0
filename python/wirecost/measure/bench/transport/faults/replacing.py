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
"""That the second publisher sends."""
SUBSCRIBERS = 2


def replace(setup: Setup, go: Callable[[Channel], None]) -> FaultOutcome:
    """``go``: lets the first publisher end. What it has sent is known by what arrived, since a
    killed process writes no records. Raises ProgramFailedError."""
    found = FaultOutcome()
    with Course(setup, SUBSCRIBERS) as course:
        second = course.spare("publisher", 0)
        run = course.another_run()
        listening = [course.listen(one, run) for one in course.receivers]
        first = course.speak(course.sender, run, BEFORE_S + AFTER_S)
        time.sleep(BEFORE_S)
        found.memory_bytes_before = course.memory()
        fault_ns = time.monotonic_ns()
        go(course.sender)
        before = course.heard(listening, EVERYTHING)
        course.sender = second
        run = course.another_run()
        listening = [course.listen(one, run) for one in course.receivers]
        asked_ns = course.open(second, "publisher", 0)
        second.receive(START_S)
        speaking = course.speak(second, run, AFTER_S)
        sent = course.sent(speaking, AFTER_S)
        after = course.heard(listening, len(sent), QUIET_S)
        found.memory_bytes_after = course.memory()
    firsts = [judging.first_after(sent, one, 0) for one in after]
    if None not in firsts:
        found.recovered_ns = max(one for one in firsts if one is not None) - asked_ns
    gone, known = _gaps(before)
    found.lost = gone + sum(judging.lost(sent, one) for one in after)
    found.duplicates = sum(judging.duplicates(one) for one in (*before, *after))
    found.messages = [
        *_assumed(before, known, first.start_ns, setup.rate, fault_ns),
        *judging.timeline(sent, [(0, one) for one in after], fault_ns),
    ]
    found.others = (
        f"of the first publisher's messages {gone} are missing between others; the second one "
        f"sent {len(sent)}, its first {judging.in_ms(int(sent[0, 2]) - asked_ns)} after it was "
        "asked to open"
    )
    return found


def _gaps(received: list[Rows]) -> tuple[int, int]:
    """Missing messages, of those up to the last that anybody got, and how many these are."""
    known = max((int(one[:, 0].max()) + 1 for one in received if len(one)), default=0)
    return sum(known - len(judging.arrivals(one)) for one in received), known


def _assumed(
    received: list[Rows], known: int, start_ns: int, rate: float, fault_ns: int
) -> list[Message]:
    """Return the first publisher's messages, sent when they were due."""
    rows: list[Message] = []
    for one in received:
        there = judging.arrivals(one)
        for number in range(known):
            due = start_ns + round(number * 1e9 / rate)
            at = there.get(number)
            rows.append([due - fault_ns, None if at is None else at - due, 0])
    return rows
