# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the publisher."""

from __future__ import annotations

import os
import signal

from wirecost.measure.bench.transport.faults.course import forget
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup
from wirecost.measure.bench.transport.faults.replacing import replace
from wirecost.system.channel.process import Channel


class PublisherKilled(InjectedFault):
    name = "publisher-killed"
    about = (
        "kill -9 of the publisher; recovered: from when another one opens until all have a message"
    )

    def run(self, setup: Setup) -> FaultOutcome:
        return replace(setup, _kill)


def _kill(publisher: Channel) -> None:
    os.kill(publisher.pid, signal.SIGKILL)
    forget(publisher)


FAULT = PublisherKilled()
