# SPDX-License-Identifier: Apache-2.0
"""kill -9 of one of two subscribers."""

from __future__ import annotations

from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup
from wirecost.measure.bench.transport.faults.joining import join


class SubscriberKilled(InjectedFault):
    name = "subscriber-killed"
    about = (
        "kill -9 of one of two subscribers; recovered: from when another opens to its first message"
    )

    def run(self, setup: Setup) -> FaultOutcome:
        return join(setup, kill=True)


FAULT = SubscriberKilled()
