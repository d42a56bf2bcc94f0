# SPDX-License-Identifier: Apache-2.0
"""A process with one end of each of many topics.

``python -m wirecost.measure.bench.transport.faults.topics_end``; driven by lines of JSON: ``load``
opens the transport, ``open`` the ends one after the other, ``exchange`` sends on each topic, again
and again, or receives until each had a message.
"""

from __future__ import annotations

import resource
import time
from contextlib import suppress
from typing import Any

from wirecost.measure.bench.transport.payload import TransportPayload, read_head
from wirecost.measure.bench.transport.protocol import quality_of
from wirecost.messaging.transport import Transport, open_transport
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import Lines, drive
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

TURN_S = 0.2
"""Seconds between two messages on a topic."""
LOOK_S = 0.001


class TopicsEnd:
    """End of many topics, in this process."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._transport: Transport | None = None
        self._ends: list[Any] = []
        self._size = 0

    def do(self, command: JsonObject) -> JsonObject:
        """Carry out a command. Raises UserError, which says how many topics were open."""
        try:
            return self._do(command)
        except (UserError, OSError, RuntimeError) as error:
            reason = f"{len(self._ends)} topics open: {error}".splitlines()[0]
            raise UserError(reason) from error

    def _do(self, command: JsonObject) -> JsonObject:
        match command["do"]:
            case "load":
                return self._load(command)
            case "open":
                return self._open(command)
            case _:
                return self._exchange(command)

    def _load(self, command: JsonObject) -> JsonObject:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self._size = command["size"]
        self._transport = open_transport(
            command["transport"], command["address"], quality_of(command)
        )
        return {"done": "load"}

    def _open(self, command: JsonObject) -> JsonObject:
        begin = time.monotonic_ns()
        for number in range(command["topics"]):
            topic = f"{command['topic']}_{number}"
            self._ends.append(getattr(self._transport, command["role"])(topic))
        return {"done": "open", "ns": time.monotonic_ns() - begin}

    def _exchange(self, command: JsonObject) -> JsonObject:
        deadline = Deadline(command["seconds"])
        if command["role"] == "publisher":
            self._send(deadline)
            return {"done": "exchange"}
        return {"done": "exchange", **self._receive(deadline)}

    def _send(self, deadline: Deadline) -> None:
        """Send on every topic each turn, until ``finish`` comes."""
        payload = TransportPayload(self._size, 1)
        while not deadline.passed and not self._lines.waiting():
            next_turn = Deadline(TURN_S)
            for number, publisher in enumerate(self._ends):
                publisher.send(payload.set(number))
            time.sleep(next_turn.left)

    def _receive(self, deadline: Deadline) -> JsonObject:
        """Receive until every topic had a message.

        Return how many had one, when the last came, and how many came on another topic.
        """
        waiting = dict(enumerate(self._ends))
        last = wrong = 0
        while waiting and not deadline.passed:
            for number, subscriber in list(waiting.items()):
                sample = subscriber.receive(0)
                if sample is not None:
                    last = time.monotonic_ns()
                    wrong += read_head(sample.buffer) != (1, number)
                    sample.release()
                    del waiting[number]
            time.sleep(LOOK_S)
        return {"there": len(self._ends) - len(waiting), "last_ns": last, "wrong": wrong}

    def close(self) -> None:
        for end in self._ends:
            with suppress(Exception):
                end.close()
        if self._transport is not None:
            self._transport.close()


if __name__ == "__main__":
    drive(TopicsEnd)
