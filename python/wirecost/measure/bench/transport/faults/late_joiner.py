# SPDX-License-Identifier: Apache-2.0
"""A subscriber that comes when the publisher has been sending for a while."""

from __future__ import annotations

from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup
from wirecost.measure.bench.transport.faults.joining import join


class LateJoiner(InjectedFault):
    name = "late-joiner"
    about = "a second subscriber comes late; recovered: from when it opens to its first message"

    def run(self, setup: Setup) -> FaultOutcome:
        return join(setup, kill=False)


FAULT = LateJoiner()
