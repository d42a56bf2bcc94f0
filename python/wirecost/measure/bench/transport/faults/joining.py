# SPDX-License-Identifier: Apache-2.0
"""A subscriber that comes while messages are being sent."""

from __future__ import annotations

import os
import signal
import time

from wirecost.measure.bench.transport.faults import judging
from wirecost.measure.bench.transport.faults.course import BEFORE_S, Course, forget
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, Setup
from wirecost.measure.bench.transport.session import START_S

ABSENT_S = 1.0
"""Between the end of one subscriber and the next."""
AFTER_S = 4.0
KILLED = 1
JOINED = 2


def join(setup: Setup, kill: bool) -> FaultOutcome:
    """``kill``: a second subscriber is killed a second before. Raises ProgramFailedError."""
    found = FaultOutcome()
    seconds = BEFORE_S + ABSENT_S + AFTER_S
    with Course(setup, 2 if kill else 1) as course:
        other, *victims = course.receivers
        new = course.spare("subscriber", KILLED)
        run = course.another_run()
        listening = [course.listen(one, run) for one in course.receivers][:1]
        speaking = course.speak(course.sender, run, seconds)
        time.sleep(BEFORE_S)
        found.memory_bytes_before = course.memory()
        fault_ns = time.monotonic_ns()
        for one in victims:
            os.kill(one.pid, signal.SIGKILL)
            forget(one)
        course.receivers = [other]
        time.sleep(ABSENT_S)
        asked_ns = course.open(new, "subscriber", KILLED)
        new.receive(START_S)
        listening.append(course.listen(new, run))
        sent = course.sent(speaking, seconds)
        undisturbed, joined = course.heard(listening, len(sent))
        found.memory_bytes_after = course.memory(new)
    at = min(judging.arrivals(joined).values(), default=None)
    found.recovered_ns = None if at is None else at - asked_ns
    found.lost = judging.lost(sent, undisturbed) + judging.lost(sent, joined, asked_ns)
    found.duplicates = judging.duplicates(undisturbed) + judging.duplicates(joined)
    history = len(judging.arrivals(joined)) - sum(
        begin >= asked_ns and number in judging.arrivals(joined)
        for number, _, begin, _ in sent.tolist()
    )
    since = fault_ns if kill else asked_ns
    found.messages = judging.timeline(sent, [(0, undisturbed), (JOINED, joined)], since)
    found.others = (
        f"{judging.others(sent, undisturbed, since)}; the new one lost "
        f"{judging.lost(sent, joined, asked_ns)} and got {history} that were sent before it came"
    )
    return found
