# SPDX-License-Identifier: Apache-2.0
"""1,000 topics between two processes: their finding each other, and their cost."""

from __future__ import annotations

import secrets
import sys
import time
from contextlib import ExitStack

from wirecost.measure.bench.transport import clients
from wirecost.measure.bench.transport.choices import PYTHON
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, InjectedFault, Setup
from wirecost.measure.bench.transport.ground import Spot
from wirecost.measure.bench.transport.meeting import TransportMeeting, meeting
from wirecost.observe.usage import memory
from wirecost.observe.usage.meter import Meter
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError

MODULE = "wirecost.measure.bench.transport.faults.topics_end"
OPEN_S = 60.0
MEET_S = 30.0
IDLE_S = 2.0
ROLES = ("subscriber", "publisher")


class ManyTopics(InjectedFault):
    name = "many-topics"
    about = (
        "1,000 topics between two processes; recovered: from the first open to a message on each"
    )

    def refusal(self, contender: TransportContender) -> str | None:
        if contender.client.kind != PYTHON:
            return "a native client has one topic"
        return None

    def run(self, setup: Setup) -> FaultOutcome:
        outcome = FaultOutcome()
        mware, setting = setup.contender.mware, setup.contender.setting
        with ExitStack() as stack:
            log = setup.logs / f"{mware}-server.txt"
            met = stack.enter_context(meeting(mware, setup.ground, "pubsub", setting.router, log))
            receiver, sender = (_start(setup, met, role, stack) for role in ROLES)
            ends = receiver, sender
            pids = [receiver.pid, sender.pid, *met.servers]
            for end, role in zip(ends, ROLES, strict=True):
                address = met.address_at(_spot(setup, role))
                end.ask("load", OPEN_S, **setup.contender.opening(address, setup.size))
            outcome.memory_bytes_before = memory.held(pids)
            topic = f"bench_{secrets.token_hex(6)}"
            begin = time.monotonic_ns()
            for end, role in zip(ends, ROLES, strict=True):
                end.send("open", role=role, topic=topic, topics=setup.topics)
            opened = [int(end.receive(OPEN_S)["ns"]) for end in ends]
            for end, role in zip(ends, ROLES, strict=True):
                end.send("exchange", role=role, seconds=MEET_S)
            received = receiver.receive(2 * MEET_S)
            sender.send("finish")
            sender.receive(2 * MEET_S)
            if received["wrong"]:
                raise ProgramFailedError(f"{received['wrong']} messages came on another topic")
            outcome.memory_bytes_after = memory.held(pids)
            with Meter(pids) as meter:
                time.sleep(IDLE_S)
                idle = meter.read()
        outcome.lost = setup.topics - int(received["there"])
        if not outcome.lost:
            outcome.recovered_ns = int(received["last_ns"]) - begin
        each = (outcome.memory_bytes_after - outcome.memory_bytes_before) / setup.topics
        outcome.others = (
            f"{setup.topics} topics: {outcome.lost} had no message within {MEET_S:g} s; opening "
            f"took {opened[0] / 1e9:.3g} s at the subscriber and {opened[1] / 1e9:.3g} s at the "
            f"publisher; {each / 1000:.3g} kB for each; without messages they use "
            f"{100 * idle.cpu_ns / (IDLE_S * 1e9):.2g} % of one CPU core"
        )
        return outcome


def _start(setup: Setup, met: TransportMeeting, role: str, stack: ExitStack) -> Channel:
    log = setup.logs / f"{setup.contender.mware}-topics-{role}.txt"
    spot = _spot(setup, role)
    command = [sys.executable, "-P", "-m", MODULE]
    process = clients.started(command, f"{role} of topics", spot, log, met.environment_at(spot))
    stack.callback(process.end)
    return process


def _spot(setup: Setup, role: str) -> Spot:
    return setup.ground.sender if role == "publisher" else setup.ground.receiver(0)


FAULT = ManyTopics()
