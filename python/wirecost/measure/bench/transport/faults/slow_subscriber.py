# SPDX-License-Identifier: Apache-2.0
"""Slow subscriber beside a fast one, which may suffer."""

from __future__ import annotations

from wirecost.measure.bench.transport.faults import judging
from wirecost.measure.bench.transport.faults.course import BEFORE_S, Course
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup
from wirecost.measure.bench.transport.faults.judging import in_ms

SLOWER = 2.0
"""Periods of the messages that it takes for each."""
AFTER_S = 4.0
QUIET_S = 1.0


class SlowSubscriber(InjectedFault):
    name = "slow-subscriber"
    about = "one of two subscribers takes half of the messages' rate for 4 s"

    def run(self, setup: Setup) -> FaultOutcome:
        outcome = FaultOutcome()
        hold_ns = round(SLOWER * 1e9 / setup.rate)
        with Course(setup, 2) as course:
            run = course.another_run()
            listening = [course.listen(receiver, run) for receiver in course.receivers]
            quick = course.sent(course.speak(course.sender, run, BEFORE_S), BEFORE_S)
            both = course.received(listening, len(quick))
            outcome.memory_bytes_before = course.memory()
            run = course.another_run()
            fast, slow = course.receivers
            listening = [course.listen(fast, run), course.listen(slow, run, hold_ns)]
            speaking = course.speak(course.sender, run, AFTER_S)
            sent = course.sent(speaking, AFTER_S)
            outcome.memory_bytes_after = course.memory()
            beside, held = course.received(listening, len(sent), QUIET_S)
        start = speaking.start_ns
        outcome.lost = judging.lost(sent, held)
        outcome.duplicates = judging.duplicates(beside) + judging.duplicates(held)
        outcome.messages = [
            *judging.timeline(quick, list(enumerate(both)), start),
            *judging.timeline(sent, [(0, beside), (1, held)], start),
        ]
        end = int(sent[-1, 2]) + 1
        outcome.others = (
            f"the fast one lost {judging.lost(sent, beside)}; its worst latency was "
            f"{in_ms(judging.worst(quick, both[0], 0, start))} before and "
            f"{in_ms(judging.worst(sent, beside, 0, end))} next to the slow one, whose worst was "
            f"{in_ms(judging.worst(sent, held, 0, end))}; sending took at most "
            f"{in_ms(judging.longest_call(quick, 0, start))} and "
            f"{in_ms(judging.longest_call(sent, 0, end))}; {len(sent)} of "
            f"{round(AFTER_S * setup.rate)} were sent in time"
        )
        return outcome


FAULT = SlowSubscriber()
