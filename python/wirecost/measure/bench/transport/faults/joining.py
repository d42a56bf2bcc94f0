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
"""Seconds between the end of one subscriber and the next."""
AFTER_S = 4.0
KILLED = 1
JOINED = 2


def join(setup: Setup, kill: bool) -> FaultOutcome:
    """Let a subscriber come late. Raises ProgramFailedError.

    ``kill``: a second subscriber is killed a second before.
    """
    outcome = FaultOutcome()
    seconds = BEFORE_S + ABSENT_S + AFTER_S
    with Course(setup, 2 if kill else 1) as course:
        other, *victims = course.receivers
        new = course.spare("subscriber", KILLED)
        run = course.another_run()
        listening = [course.listen(receiver, run) for receiver in course.receivers][:1]
        speaking = course.speak(course.sender, run, seconds)
        time.sleep(BEFORE_S)
        outcome.memory_bytes_before = course.memory()
        fault_ns = time.monotonic_ns()
        for victim in victims:
            os.kill(victim.pid, signal.SIGKILL)
            forget(victim)
        course.receivers = [other]
        time.sleep(ABSENT_S)
        opened_ns = course.open(new, "subscriber", KILLED)
        new.receive(START_S)
        listening.append(course.listen(new, run))
        sent = course.sent(speaking, seconds)
        undisturbed, joined = course.received(listening, len(sent))
        outcome.memory_bytes_after = course.memory(new)
    at = min(judging.arrivals(joined).values(), default=None)
    outcome.recovered_ns = None if at is None else at - opened_ns
    outcome.lost = judging.lost(sent, undisturbed) + judging.lost(sent, joined, opened_ns)
    outcome.duplicates = judging.duplicates(undisturbed) + judging.duplicates(joined)
    history = len(judging.arrivals(joined)) - sum(
        begin >= opened_ns and number in judging.arrivals(joined)
        for number, _, begin, _ in sent.tolist()
    )
    since = fault_ns if kill else opened_ns
    outcome.messages = judging.timeline(sent, [(0, undisturbed), (JOINED, joined)], since)
    outcome.others = (
        f"{judging.others(sent, undisturbed, since)}; the new one lost "
        f"{judging.lost(sent, joined, opened_ns)} and got {history} that were sent before it came"
    )
    return outcome
