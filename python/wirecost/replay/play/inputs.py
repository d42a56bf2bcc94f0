# SPDX-License-Identifier: Apache-2.0
"""Plays a recording's inputs to a node that has joined the isolated system."""

from __future__ import annotations

import gc
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirecost._middleware import Player, Sink
from wirecost.errors import UserError
from wirecost.replay.play.call_schedule import CallSchedule
from wirecost.replay.play.idle import Activity
from wirecost.replay.play.interruption import Interruption
from wirecost.replay.play.matching import Sent
from wirecost.replay.play.stamps import begins_with_header, stamp_ns
from wirecost.replay.process.node import NodeProcess
from wirecost.replay.recording.reader import Recorded, Stored
from wirecost.replay.recording.snapshot import Snapshot
from wirecost.replay.system import IsolatedSystem

SPIN_NS, FIFO_SPIN_NS = 200_000, 100_000
"""How long before a message is due the player stops sleeping: longer than waking up takes."""
AHEAD_NS = 50_000_000
CONSUME_S = 10.0
LOOK_S = 0.1
KEPT_NS = 10**9
"""What a latched topic delivers so soon after the start it had kept: subscriptions come to stand
one after the other, so other inputs may come before."""

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Playing:
    """How inputs are played. ``rate`` 2: twice as quick; ``consumed``: each as soon as the node has
    dealt with the one before. ``player_fifo``: None is the lowest where that is permitted, 0 normal
    scheduling. ``connect_s``: how long the node may take to join. ``prime``: a node that advertises
    its outputs with the first message only is sent that once beforehand."""

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
    first = min((one.log_ns for one in inputs), default=0)
    # A busy machine may deliver kept messages late; over DDS, their time of publication shows it.
    kept = [
        one.topic in latched and (one.log_ns <= first + KEPT_NS or one.publish_ns < first)
        for one in inputs
    ]
    early = [one for one, was_kept in zip(inputs, kept, strict=True) if was_kept]
    timed = [one for one, was_kept in zip(inputs, kept, strict=True) if not was_kept]
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


@dataclass(frozen=True)
class Played:
    """What was sent until the end, or until it was ``interrupted`` by a signal."""

    sent: list[Sent]
    interrupted: bool


def play(
    prepared: Prepared,
    isolated: IsolatedSystem,
    sinks: Sequence[Sink],
    node: NodeProcess,
    playing: Playing,
    notes: list[str],
) -> Played:
    """Sends everything, calls the node's services meanwhile; ends early when the node does, or on
    Ctrl-C or SIGTERM.

    ``sinks`` are those of the snapshot's inputs, in their order.
    """
    sent: list[Sent] = []
    finished, ended = threading.Event(), threading.Event()
    interruption = Interruption()

    def watch() -> None:
        # Again and again, since the player may only be about to begin.
        while not finished.wait(LOOK_S):
            if interruption.seen or not node.running():
                ended.set()
                prepared.player.stop()

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        with _uncollected(), interruption:
            for loop in range(playing.loops):
                origin_ns = time.monotonic_ns() + AHEAD_NS
                with _calls(prepared, isolated, playing, origin_ns, notes, ended):
                    if playing.consumed:
                        times = _as_consumed(prepared, sinks, node, playing, notes, ended)
                    else:
                        times = _send(prepared, sinks, playing, 0, len(prepared.timed), origin_ns)
                sent += _sent(prepared, times, loop)
                if ended.is_set() or not node.running():
                    break
    finally:
        finished.set()
        watching.join()
    return Played(sent, interruption.seen)


def _send(
    prepared: Prepared,
    sinks: Sequence[Sink],
    playing: Playing,
    first: int,
    last: int,
    origin_ns: int | None,
) -> Times:
    fifo = playing.player_fifo or None
    spin_ns = FIFO_SPIN_NS if fifo else SPIN_NS
    rate = 1.0 if playing.consumed else playing.rate
    return prepared.player.play(
        sinks, rate, first, last, spin_ns, playing.player_cpu, fifo, origin_ns
    )


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collections, which would go through all recorded messages."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _calls(
    prepared: Prepared,
    isolated: IsolatedSystem,
    playing: Playing,
    origin_ns: int,
    notes: list[str],
    ended: threading.Event,
) -> CallSchedule:
    """The calls that others made to the node."""
    services = {service.name: service for service in prepared.snapshot.provides}
    calls = [call for call in prepared.recorded.calls if call.service in services]
    return CallSchedule(
        isolated, services, calls, prepared.first_ns, origin_ns, playing.rate, notes, ended
    )


def _as_consumed(
    prepared: Prepared,
    sinks: Sequence[Sink],
    node: NodeProcess,
    playing: Playing,
    notes: list[str],
    ended: threading.Event,
) -> Times:
    """Every message as soon as the node has dealt with the one before."""
    activity = Activity(node.pid)
    rows: list[Times] = []
    busy = 0
    for i in range(len(prepared.timed)):
        if ended.is_set() or not node.running():
            break
        rows.append(_send(prepared, sinks, playing, i, i + 1, None))
        idle = activity.wait_idle(CONSUME_S, ended.is_set)
        busy += not idle and not ended.is_set() and node.running()
    if busy:
        notes.append(
            f"the node was still busy {CONSUME_S:g} s after {busy:,} inputs; they were followed by "
            "the next all the same"
        )
    return np.concatenate(rows) if rows else np.zeros((0, 4), np.int64)


def _sent(prepared: Prepared, times: Times, loop: int) -> list[Sent]:
    per_loop = Counter(one.topic for one in prepared.timed)
    index = {topic: loop * count for topic, count in per_loop.items()}
    sent = []
    for message, stamp, (due, ready, before, after) in zip(
        prepared.timed, prepared.stamps, times.tolist(), strict=False
    ):
        sent.append(
            Sent(
                topic=message.topic,
                index=index[message.topic],
                stamp_ns=stamp,
                due_ns=due,
                ready_ns=ready,
                before_ns=before,
                after_ns=after,
                bytes=len(message.data),
            )
        )
        index[message.topic] += 1
    return sent
