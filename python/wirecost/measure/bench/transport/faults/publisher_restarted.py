# SPDX-License-Identifier: Apache-2.0
"""A publisher that closes while it sends, and its successor."""

from __future__ import annotations

import os
import signal

from wirecost.measure.bench.transport.faults.course import forget
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup
from wirecost.measure.bench.transport.faults.replacing import replace
from wirecost.system.channel.process import Channel


class PublisherRestarted(InjectedFault):
    name = "publisher-restarted"
    about = "the publisher is asked to end (SIGTERM); recovered: as publisher-killed"

    def run(self, setup: Setup) -> FaultOutcome:
        return replace(setup, _end)


def _end(publisher: Channel) -> None:
    os.kill(publisher.pid, signal.SIGTERM)
    forget(publisher)


FAULT = PublisherRestarted()
