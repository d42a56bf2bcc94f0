# SPDX-License-Identifier: Apache-2.0
"""Plays a recording's inputs to a node that has joined its stage."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirecost._middleware import Player, Sink
from wirecost.errors import UserError
from wirecost.replay.call_schedule import CallSchedule
from wirecost.replay.idle import Activity
from wirecost.replay.matching import Sent
from wirecost.replay.node_process import NodeProcess
from wirecost.replay.recording_reader import Recorded, Stored
from wirecost.replay.snapshot import Snapshot
from wirecost.replay.stamps import begins_with_header, stamp_ns
from wirecost.replay.system import Stage

SPIN_NS = 200_000
AHEAD_NS = 50_000_000
CONSUME_S = 10.0
KEPT_NS = 10**9
"""What a latched topic delivers so soon after the start it had kept: subscriptions come to stand
one after the other, so other inputs may come before."""

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Playing:
    """How inputs are played. ``rate`` 2: twice as quick; ``consumed``: each as soon as the node has
    dealt with the one before. ``connect_s``: how long the node may take to join. ``prime``: a node
    that advertises its outputs with the first message only is sent that once beforehand."""

    rate: float = 1.0
    consumed: bool = False
    loops: int = 1
    player_cpu: int | None = None
    player_fifo: int | None = None
    connect_s: float = 30.0
    prime: bool = True


@dataclass(frozen=True)
class Prepared:
    """A recording made ready to be played any number of times.

    ``early``: what latched topics had kept when the recording began, in order.
    """

    snapshot: Snapshot
    recorded: Recorded
    early: list[Stored]
    timed: list[Stored]
    stamps: list[int | None]
    """Of the headers of ``timed``, where there are any."""
    player: Player
    first_ns: int
    """When the first timed input, or else the first call, was received."""


def prepare(snapshot: Snapshot, recorded: Recorded) -> Prepared:
    """Raises UserError where there is nothing to play."""
    latched = {
        one.topic.name for one in snapshot.inputs if one.topic.qos.durability == "transient_local"
    }
    known = {one.topic.name: i for i, one in enumerate(snapshot.inputs)}
    inputs = [one for one in recorded.inputs if one.topic in known]
    until = min((one.log_ns for one in inputs), default=0) + KEPT_NS
    early = [one for one in inputs if one.topic in latched and one.log_ns <= until]
    timed = [one for one in inputs if one.topic not in latched or one.log_ns > until]
    if not timed and not early and not recorded.calls:
        raise UserError(f"{snapshot.node}: no input was recorded; record while the system is busy")
    calls = [call.request_ns for call in recorded.calls]
    start = timed[0].log_ns if timed else min(calls, default=0)
    player = Player([(m.log_ns - start, known[m.topic], m.data) for m in timed], True)
    stamped = {
        one.topic.name
        for one in snapshot.inputs
        if begins_with_header(one.topic.type, one.topic.definition)
    }
    stamps = [stamp_ns(snapshot.profile, m.data) if m.topic in stamped else None for m in timed]
    return Prepared(snapshot, recorded, early, timed, stamps, player, start)


def play(
    prepared: Prepared,
    stage: Stage,
    sinks: Sequence[Sink],
    node: NodeProcess,
    playing: Playing,
    notes: list[str],
) -> list[Sent]:
    """Sends everything, calls the node's services meanwhile; ends early when the node does.

    ``sinks`` are those of the snapshot's inputs, in their order.
    """
    sent: list[Sent] = []
    finished = threading.Event()
    watch = threading.Thread(target=_stop_when_gone, args=(prepared.player, node, finished))
    watch.start()
    try:
        for loop in range(playing.loops):
            origin_ns = time.monotonic_ns() + AHEAD_NS
            with _calls(prepared, stage, playing, origin_ns, notes):
                if playing.consumed:
                    times = _as_consumed(prepared, sinks, node, playing, notes)
                else:
                    times = prepared.player.play(
                        sinks,
                        playing.rate,
                        0,
                        len(prepared.timed),
                        SPIN_NS,
                        playing.player_cpu,
                        playing.player_fifo,
                        origin_ns,
                    )
            sent += _sent(prepared, times, loop)
            if not node.running():
                break
    finally:
        finished.set()
        watch.join()
    return sent


def _stop_when_gone(player: Player, node: NodeProcess, finished: threading.Event) -> None:
    while not finished.wait(0.1):
        if not node.running():
            player.stop()
            return


def _calls(
    prepared: Prepared, stage: Stage, playing: Playing, origin_ns: int, notes: list[str]
) -> CallSchedule:
    """The calls that others made to the node."""
    services = {service.name: service for service in prepared.snapshot.provides}
    calls = [call for call in prepared.recorded.calls if call.service in services]
    return CallSchedule(stage, services, calls, prepared.first_ns, origin_ns, playing.rate, notes)


def _as_consumed(
    prepared: Prepared,
    sinks: Sequence[Sink],
    node: NodeProcess,
    playing: Playing,
    notes: list[str],
) -> Times:
    """Every message as soon as the node has dealt with the one before."""
    activity = Activity(node.pid)
    rows: list[Times] = []
    busy = 0
    for i in range(len(prepared.timed)):
        if not node.running():
            break
        rows.append(
            prepared.player.play(
                sinks, 1.0, i, i + 1, SPIN_NS, playing.player_cpu, playing.player_fifo, None
            )
        )
        busy += not activity.wait_idle(CONSUME_S) and node.running()
    if busy:
        notes.append(
            f"the node was still busy {CONSUME_S:g} s after {busy:,} inputs; they were followed by "
            "the next all the same"
        )
    return np.concatenate(rows) if rows else np.zeros((0, 3), np.int64)


def _sent(prepared: Prepared, times: Times, loop: int) -> list[Sent]:
    already: dict[str, int] = {}
    for one in prepared.timed:
        already[one.topic] = already.get(one.topic, 0) + 1
    index = {topic: loop * count for topic, count in already.items()}
    sent = []
    for message, stamp, (due, before, after) in zip(
        prepared.timed, prepared.stamps, times.tolist(), strict=False
    ):
        sent.append(
            Sent(message.topic, index[message.topic], stamp, due, before, after, len(message.data))
        )
        index[message.topic] += 1
    return sent
