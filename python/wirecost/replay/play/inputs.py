# SPDX-License-Identifier: Apache-2.0
"""Plays a recording's inputs to a node that has joined the isolated system."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wirecost._middleware import Sink
from wirecost.replay.middleware import IsolatedSystem
from wirecost.replay.play.call_schedule import CallSchedule
from wirecost.replay.play.idle import Activity
from wirecost.replay.play.matching import Sent
from wirecost.replay.play.options import PlayOptions
from wirecost.replay.play.prepared import Prepared
from wirecost.replay.process.node import NodeProcess
from wirecost.system import interruption
from wirecost.system.counted import counted

SPIN_NS, FIFO_SPIN_NS = 200_000, 100_000
"""Time before a message is due when the player stops sleeping: longer than waking up takes."""
AHEAD_NS = 50_000_000
CONSUME_S = 10.0
LOOK_S = 0.1

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Played:
    """Messages sent until the end, or until a signal ``interrupted``."""

    sent: list[Sent]
    interrupted: bool


def play(
    prepared: Prepared,
    isolated: IsolatedSystem,
    sinks: Sequence[Sink],
    node: NodeProcess,
    play_options: PlayOptions,
    notes: list[str],
) -> Played:
    """Send everything, call the node's services meanwhile; end early when the node does.

    Ctrl-C and SIGTERM end it early, too. ``sinks`` are those of the snapshot's inputs, in their
    order.
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
            for loop in range(play_options.loops):
                origin_ns = time.monotonic_ns() + AHEAD_NS
                with _calls(prepared, isolated, play_options, origin_ns, notes, ended):
                    if play_options.consumed:
                        times = _as_consumed(prepared, sinks, node, play_options, notes, ended)
                    else:
                        times = _send(
                            prepared, sinks, play_options, 0, len(prepared.timed), origin_ns
                        )
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
    play_options: PlayOptions,
    first: int,
    last: int,
    origin_ns: int | None,
) -> Times:
    fifo = play_options.player_fifo or None
    spin_ns = FIFO_SPIN_NS if fifo else SPIN_NS
    rate = 1.0 if play_options.consumed else play_options.rate
    return prepared.player.play(
        sinks, rate, first, last, spin_ns, play_options.player_cpu, fifo, origin_ns
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
    play_options: PlayOptions,
    origin_ns: int,
    notes: list[str],
    ended: threading.Event,
) -> CallSchedule:
    """Return the calls that others made to the node."""
    services = {service.name: service for service in prepared.snapshot.provides}
    calls = [call for call in prepared.recorded.calls if call.service in services]
    return CallSchedule(
        isolated, services, calls, prepared.first_ns, origin_ns, play_options.rate, notes, ended
    )


def _as_consumed(
    prepared: Prepared,
    sinks: Sequence[Sink],
    node: NodeProcess,
    play_options: PlayOptions,
    notes: list[str],
    ended: threading.Event,
) -> Times:
    """Send every message as soon as the node has dealt with the one before."""
    activity = Activity(node.pid)
    rows: list[Times] = []
    busy = 0
    for i in range(len(prepared.timed)):
        if ended.is_set() or not node.running():
            break
        rows.append(_send(prepared, sinks, play_options, i, i + 1, None))
        idle = activity.wait_idle(CONSUME_S, ended.is_set)
        busy += not idle and not ended.is_set() and node.running()
    if busy:
        notes.append(
            f"the node was still busy {CONSUME_S:g} s after {counted(busy, 'input')}; the next one "
            "was sent all the same"
        )
    return np.concatenate(rows) if rows else np.zeros((0, 4), np.int64)


def _sent(prepared: Prepared, times: Times, loop: int) -> list[Sent]:
    per_loop = Counter(message.topic for message in prepared.timed)
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


class Interruption:
    """Signals that are ``seen``, while its context is open, instead of raising KeyboardInterrupt.

    The command that they came to learns of them all the same. In a thread other than the main one,
    which signals do not reach, nothing changes.
    """

    def __init__(self) -> None:
        self.seen = False
        self._former: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in interruption.SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._former[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *raised: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.seen = True
        interruption.note(number)
