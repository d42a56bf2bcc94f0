# SPDX-License-Identifier: Apache-2.0
"""One run of a replay: the node alone in a system, its inputs at their times, its outputs kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.replay.middleware import Call, IsolatedSystem, Service
from wirecost.replay.play.connection import PATIENCE_S, Connection, died
from wirecost.replay.play.idle import Activity
from wirecost.replay.play.inputs import play
from wirecost.replay.play.matching import Sent
from wirecost.replay.play.options import PlayOptions
from wirecost.replay.play.outputs import Output, OutputCatcher
from wirecost.replay.play.prepared import Prepared
from wirecost.replay.process.node import NodeProcess, Start
from wirecost.replay.process.state import Counts, counts_of
from wirecost.replay.systems import System

QUIET_S, SETTLE_S = 0.5, 5.0


@dataclass
class RunResult:
    """Result of one run.

    ``counts``: of the node's process while it was played to. ``status``: None if it was still
    running when the inputs had been played, else its exit status. ``interrupted``: by a signal; it
    holds what came until then.
    """

    sent: list[Sent] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    counts: Counts | None = None
    status: int | None = None
    played_s: float = 0.0
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)


def answers_of(prepared: Prepared, service: Service) -> list[Call]:
    """Return the recorded calls that requests of the node are matched with, in their order.

    A recorder that joined a running node may have seen calls for an input that it did not see.
    What the node asked before the first input is left out where it asks the same again later.
    """
    calls = [call for call in prepared.recorded.calls if call.service == service.name]
    later = {call.request for call in calls if call.request_ns >= prepared.first_ns}
    return [c for c in calls if c.request_ns >= prepared.first_ns or c.request not in later]


def run_once(
    prepared: Prepared,
    system: System,
    isolated: IsolatedSystem,
    start: Callable[[dict[str, str]], Start],
    play_options: PlayOptions,
    outputs_file: Path,
    report: Callable[[str], None],
) -> RunResult:
    """Play once; ``start`` makes the node's start from the isolated system's environment.

    Raises:
        UserError: the node cannot be started or does not join the isolated system. A node that dies
            while it is played to is no error: the result holds what came until then.
    """
    snapshot, result = prepared.snapshot, RunResult()
    topics = [joined.topic for joined in snapshot.outputs]
    with isolated, OutputCatcher(outputs_file, system, topics, prepared.digests) as catcher:
        called = {call.service for call in prepared.recorded.calls}
        provided = [service for service in snapshot.provides if service.name in called]
        isolated.prepare(snapshot.node, snapshot.parameters, provided)
        sinks = [isolated.publish(joined.topic) for joined in snapshot.inputs]
        for channel, topic in enumerate(topics):
            isolated.listen(topic, channel, catcher.queue)
        for service in snapshot.calls:
            if answers := answers_of(prepared, service):
                isolated.answer(service, answers)
        started = start(isolated.environment())
        with NodeProcess(started) as node:
            report("waiting for the node")
            connection = Connection(prepared, isolated, sinks, node, started)
            result.notes += connection.wait_for_inputs(play_options.connect_s)
            result.notes += connection.wait_for_outputs(catcher if play_options.prime else None)
            Activity(node.pid).wait_idle(PATIENCE_S)
            report("playing")
            before, begun = counts_of(node.pid), time.monotonic()
            played = play(prepared, isolated, sinks, node, play_options, result.notes)
            result.sent, result.interrupted = played.sent, played.interrupted
            result.played_s = time.monotonic() - begun
            if node.running():
                catcher.wait_quiet(QUIET_S, SETTLE_S)
            after = counts_of(node.pid)
            if before is not None and after is not None:
                result.counts = after.since(before)
            if not node.running():
                result.status = node.status()
                result.notes.append(died(node, started))
            result.notes += isolated.unmatched()
    result.outputs = catcher.outputs
    if dropped := catcher.dropped():
        result.notes.append(f"{dropped:,} outputs arrived faster than they could be stored")
    return result
