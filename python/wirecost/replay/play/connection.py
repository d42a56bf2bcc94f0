# SPDX-License-Identifier: Apache-2.0
"""Waits until a started node has joined the isolated system."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from wirecost._middleware import Sink
from wirecost.replay.middleware import IsolatedSystem
from wirecost.replay.play.idle import Activity
from wirecost.replay.play.outputs import OutputCatcher
from wirecost.replay.play.prepared import Prepared
from wirecost.replay.process.node import NodeProcess, Start, last_lines
from wirecost.replay.recording.reader import Stored
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

LATE_TOPIC_S = 1.0
"""A topic that appeared later than that in the recording is waited for no longer than others."""
PATIENCE_S = 2.0
LOOK_S = 0.02
QUIET_S = 0.2
PRIME_S = 5.0


class Connection:
    """``sinks`` are those of the snapshot's inputs, in their order."""

    def __init__(
        self,
        prepared: Prepared,
        isolated: IsolatedSystem,
        sinks: Sequence[Sink],
        node: NodeProcess,
        start: Start,
    ) -> None:
        self._prepared = prepared
        self._isolated = isolated
        self._inputs = [joined.topic for joined in prepared.snapshot.inputs]
        self._outputs = [joined.topic for joined in prepared.snapshot.outputs]
        self._sinks = {topic.name: sink for topic, sink in zip(self._inputs, sinks, strict=True)}
        self._node = node
        self._start = start

    def wait_for_inputs(self, patience_s: float) -> list[str]:
        """Wait for all inputs, sending latched messages as soon as there is a reader.

        A node may wait for its map before it joins anything else. Returns notes.

        Raises:
            UserError: the node ended, or did not join within ``patience_s``.
        """
        waiting = list(self._prepared.early)
        inputs = self._prepared.snapshot.inputs
        late = {joined.topic.name for joined in inputs if joined.after_s > LATE_TOPIC_S}
        begun = time.monotonic()
        while True:
            waiting = self._send(waiting)
            missing = self._isolated.waiting_for(self._inputs, [])
            if not missing and not waiting:
                return []
            self._check_running()
            waited = time.monotonic() - begun
            if waited > PATIENCE_S and set(missing) <= late:
                return [f"joined only after playing began, as recorded: {', '.join(missing)}"]
            if waited > patience_s:
                printed = last_lines(Path(self._start.output or ""))
                raise UserError(
                    f"{self._prepared.snapshot.node}: did not join {', '.join(missing)} within "
                    f"{patience_s:g} s (topics that it joins only at its start need "
                    f"`record --launch`); it printed last: {' | '.join(printed) or 'nothing'}"
                )
            time.sleep(LOOK_S)

    def wait_for_outputs(self, primed: OutputCatcher | None) -> list[str]:
        """Wait a while for the outputs. Returns notes.

        A node that advertises an output with its first message would lose that; with ``primed`` the
        first message of each input is sent once beforehand, and what it answers is not kept.
        """
        missing = self._wait_for_outputs()
        if not missing:
            return []
        if primed is not None:
            primed.paused = True
            self._prime()
            still = self._wait_for_outputs()
            primed.wait_quiet(QUIET_S, PATIENCE_S)
            primed.paused = False
            if not still:
                return [
                    f"{', '.join(missing)}: advertised with the first message only, so the "
                    "first of each input was sent once beforehand"
                ]
            missing = still
        return [
            f"{', '.join(missing)}: not advertised before playing; first outputs may be missing"
        ]

    def _wait_for_outputs(self) -> list[str]:
        deadline = Deadline(PATIENCE_S)
        while missing := self._isolated.waiting_for([], self._outputs):
            self._check_running()
            if deadline.passed:
                return missing
            time.sleep(LOOK_S)
        return []

    def _prime(self) -> None:
        """Send one after the other, so that what the node makes of them is the same each time."""
        activity, deadline = Activity(self._node.pid), time.monotonic() + PRIME_S
        first: dict[str, Stored] = {}
        for message in self._prepared.timed:
            first.setdefault(message.topic, message)
        for message in first.values():
            self._sinks[message.topic].send(message.data)
            activity.wait_idle(deadline - time.monotonic())

    def _send(self, waiting: list[Stored]) -> list[Stored]:
        """Send what has a reader; what is left."""
        unsent = []
        for message in waiting:
            sink = self._sinks[message.topic]
            if sink.readers() > 0:
                sink.send(message.data)
            else:
                unsent.append(message)
        return unsent

    def _check_running(self) -> None:
        if not self._node.running():
            raise UserError(f"{self._start.executable}: {died(self._node, self._start)}")


def died(node: NodeProcess, start: Start) -> str:
    """Return how a node ended that should not have, with the last it printed."""
    status = node.status()
    how = f"with status {status}" if status is None or status >= 0 else f"by signal {-status}"
    printed = last_lines(Path(start.output)) if start.output else []
    last = f"; it printed last: {' | '.join(printed)}" if printed else "; it printed nothing"
    return f"the node ended {how}{last}"
