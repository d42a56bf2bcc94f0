# SPDX-License-Identifier: Apache-2.0
"""One run of a replay: a stage, the node in it, its inputs at their times, its outputs kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirecost._middleware import Sink
from wirecost.errors import UserError
from wirecost.replay.idle import Activity
from wirecost.replay.matching import Sent
from wirecost.replay.node_process import NodeProcess, Start, last_lines
from wirecost.replay.outputs import Output, OutputCatcher
from wirecost.replay.play import Playing, Prepared, play
from wirecost.replay.process_state import Counts, counts_of
from wirecost.replay.snapshot import JoinedTopic
from wirecost.replay.system import Stage
from wirecost.replay.systems import System

LATE_TOPIC_S = 1.0
LATE_PATIENCE_S = 2.0
QUIET_S, SETTLE_S = 0.5, 5.0


@dataclass
class RunResult:
    """``counts``: of the node's process while it was played to. ``status``: None if it was still
    running when the inputs had been played, else its exit status."""

    sent: list[Sent] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    counts: Counts | None = None
    status: int | None = None
    played_s: float = 0.0
    notes: list[str] = field(default_factory=list)


def run_once(
    prepared: Prepared,
    system: System,
    stage: Stage,
    start: Callable[[dict[str, str]], Start],
    playing: Playing,
    outputs_file: Path,
    tell: Callable[[str], None],
) -> RunResult:
    """``start`` makes the node's start from the stage's environment.

    Raises:
        UserError: the node cannot be started or does not join its stage. A node that dies while it
            is played to is no error: the result holds what came until then.
    """
    snapshot, result = prepared.snapshot, RunResult()
    topics = [one.topic for one in snapshot.outputs]
    with stage, OutputCatcher(outputs_file, system, topics) as catcher:
        stage.prepare(snapshot.node, snapshot.parameters)
        sinks = [stage.publish(one.topic) for one in snapshot.inputs]
        for channel, topic in enumerate(topics):
            stage.listen(topic, channel, catcher.queue)
        for service in snapshot.calls:
            answers = [call for call in prepared.recorded.calls if call.service == service.name]
            if answers:
                stage.answer(service, answers)
        started = start(stage.environment())
        with NodeProcess(started) as node:
            tell("waiting for the node")
            result.notes += _connect(prepared, stage, sinks, node, started, playing.connect_s)
            Activity(node.pid).wait_idle(LATE_PATIENCE_S)
            tell("playing")
            before, begun = counts_of(node.pid), time.monotonic()
            result.sent = play(prepared, stage, sinks, node, playing, result.notes)
            result.played_s = time.monotonic() - begun
            if node.running():
                catcher.wait_quiet(QUIET_S, SETTLE_S)
            after = counts_of(node.pid)
            if before is not None and after is not None:
                result.counts = after.since(before)
            if not node.running():
                result.status = node.status()
                result.notes.append(died(node, started))
            result.notes += stage.unmatched()
    result.outputs = catcher.outputs
    if dropped := catcher.dropped():
        result.notes.append(f"{dropped:,} outputs came quicker than they could be kept")
    return result


def died(node: NodeProcess, start: Start) -> str:
    """How a node ended that should not have, with the last it printed."""
    status = node.status()
    how = f"with status {status}" if status is None or status >= 0 else f"by signal {-status}"
    printed = last_lines(Path(start.output)) if start.output else []
    said = f"; it printed last: {' | '.join(printed)}" if printed else "; it printed nothing"
    return f"the node ended {how}{said}"


def _connect(
    prepared: Prepared,
    stage: Stage,
    sinks: Sequence[Sink],
    node: NodeProcess,
    start: Start,
    patience_s: float,
) -> list[str]:
    """Waits until all topics stand, sending latched messages as soon as someone hears them: a node
    may wait for its map before it joins anything else."""
    inputs = prepared.snapshot.inputs
    sink_of = {one.topic.name: sink for one, sink in zip(inputs, sinks, strict=True)}
    waiting = list(prepared.early)
    outputs = [one.topic for one in prepared.snapshot.outputs]
    late = {one.topic.name for one in (*inputs, *prepared.snapshot.outputs) if _is_late(one)}
    begun = time.monotonic()
    while True:
        for message in [one for one in waiting if sink_of[one.topic].readers() > 0]:
            sink_of[message.topic].send(message.data)
            waiting.remove(message)
        missing = stage.waiting_for([one.topic for one in inputs], outputs)
        if not missing and not waiting:
            return []
        if not node.running():
            raise UserError(f"{start.executable}: {died(node, start)}")
        waited = time.monotonic() - begun
        if waited > LATE_PATIENCE_S and set(missing) <= late:
            return [f"played before these were joined, as recorded: {', '.join(missing)}"]
        if waited > patience_s:
            raise UserError(
                f"{prepared.snapshot.node}: did not join {', '.join(missing)} within "
                f"{patience_s:g} s; see what it printed: "
                f"{' | '.join(last_lines(Path(start.output or ''))) or 'nothing'}"
            )
        time.sleep(0.02)


def _is_late(one: JoinedTopic) -> bool:
    return one.after_s > LATE_TOPIC_S
