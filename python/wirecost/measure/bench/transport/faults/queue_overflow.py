# SPDX-License-Identifier: Apache-2.0
"""A subscriber that stands still (SIGSTOP) while messages pile up, and then goes on."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace
from statistics import median

from wirecost.measure.bench.transport.faults import judging
from wirecost.measure.bench.transport.faults.course import BEFORE_S, Course
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup

RATE = 1000.0
EVERY = 4
"""Messages for each one that is kept in the time line: the records stay small."""
BYTES_PER_S = 20e6
STOPPED_S = 2.0
READING_S = 0.2
"""Seconds before its end at which memory is read."""
AFTER_S = 2.0
PROMPT, LEAST_NS = 3.0, 5_000_000
"""Factor of the usual latency, and nanoseconds besides, within which it has caught up."""


class QueueOverflow(InjectedFault):
    name = "queue-overflow"
    about = (
        "one of two subscribers stands still for 2 s at 1,000 Hz; recovered: from when it goes on"
    )

    def run(self, setup: Setup) -> FaultOutcome:
        outcome, seconds = FaultOutcome(), BEFORE_S + STOPPED_S + AFTER_S
        setup = replace(setup, rate=min(RATE, BYTES_PER_S / setup.size))
        with Course(setup, 2) as course:
            run = course.another_run()
            listening = [course.listen(receiver, run) for receiver in course.receivers]
            speaking = course.speak(course.sender, run, seconds)
            time.sleep(BEFORE_S)
            outcome.memory_bytes_before = course.memory()
            _, victim = course.receivers
            fault_ns = time.monotonic_ns()
            stopping = _stop(victim.pid)
            time.sleep(STOPPED_S - READING_S)
            outcome.memory_bytes_after = course.memory()
            stopping.wait()
            again_ns = time.monotonic_ns()
            sent = course.sent(speaking, seconds)
            beside, stopped = course.received(listening, len(sent))
        begun = {number: begin for number, _, begin, _ in sent.tolist()}
        there = judging.arrivals(stopped)
        before = [at - begun[number] for number, at in there.items() if at < fault_ns]
        usual = PROMPT * median(before or [0]) + LEAST_NS
        prompt = [
            at for number, at in there.items() if at > again_ns and at - begun[number] <= usual
        ]
        outcome.recovered_ns = min(prompt) - again_ns if prompt else None
        outcome.lost = judging.lost(sent, stopped)
        outcome.duplicates = judging.duplicates(beside) + judging.duplicates(stopped)
        outcome.messages = judging.timeline(sent, [(0, beside), (1, stopped)], fault_ns, EVERY)
        outcome.others = (
            f"{judging.others(sent, beside, fault_ns)}; {int((sent[:, 3] < 0).sum())} were refused"
        )
        return outcome


def _stop(process: int) -> subprocess.Popen[bytes]:
    """Stop a process for a while.

    A program does so that outlives this one if it is killed: a process that stands still would not
    even end.
    """
    words = f"kill -STOP {process}; sleep {STOPPED_S}; kill -CONT {process}"
    return subprocess.Popen(["sh", "-c", words], start_new_session=True)


FAULT = QueueOverflow()
