# SPDX-License-Identifier: Apache-2.0
"""A process that sends messages at a rate, or receives them, and says what processor time it took.

A ``Channel`` drives it: ``open`` with ``role`` (send, receive), ``transport``, ``address``,
``topic``, ``content``, ``warm``, ``count``, ``rate``; then ``run``.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from wirecost.data.messages.content_file import read_content
from wirecost.messaging.transport import Publisher, Subscriber, open_transport
from wirecost.messaging.transport.base import MemoryFrame
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import drive
from wirecost.system.errors import UserError

WAIT_S = 20.0
SILENCE_S = 2.0
"""After which a receiver takes the rest for lost."""


class End:
    """One end, which ``open`` opens and ``run`` lets send or receive."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._job: JsonObject = {}
        self._end: Any = None

    def do(self, command: JsonObject) -> JsonObject:
        """Carry out a command. Raises UserError."""
        if command["do"] == "run":
            return (send if self._job["role"] == "send" else receive)(self._end, self._job)
        self._job = job = command
        transport = self._stack.enter_context(open_transport(job["transport"], job["address"]))
        make = transport.publisher if job["role"] == "send" else transport.subscriber
        self._end = self._stack.enter_context(make(job["topic"]))
        return {"done": "open"}

    def close(self) -> None:
        self._stack.close()


def send(publisher: Publisher, job: JsonObject) -> dict[str, int]:
    """Send; return the processor time of those that count."""
    frames = [MemoryFrame(memoryview(data)) for data in read_content(Path(job["content"]))]
    if not publisher.wait_for_subscriber(WAIT_S):
        raise UserError(f"no subscriber was there within {WAIT_S:.0f} s")
    time.sleep(0.5)  # for the other subscribers
    period = 1 / job["rate"]
    begin = time.perf_counter()
    used = 0
    for number in range(job["warm"] + job["count"]):
        if number == job["warm"]:
            used = time.process_time_ns()
        pause_s = begin + number * period - time.perf_counter()
        if pause_s > 0:
            time.sleep(pause_s)
        publisher.send(frames[number % len(frames)])
    return {"ns": time.process_time_ns() - used}


def receive(subscriber: Subscriber, job: JsonObject) -> dict[str, int]:
    """Receive; return the number of counted messages, and the processor time since the first."""
    last = job["warm"] + job["count"] - 1
    received, used_ns, silence = 0, 0, WAIT_S + SILENCE_S
    used: int | None = None
    while (sample := subscriber.receive(silence)) is not None:
        number = sample.number
        sample.release()
        if number < job["warm"]:
            silence = SILENCE_S + 2 / job["rate"]
            used = time.process_time_ns()
            continue
        received += 1
        if used is None:  # all before it were lost
            used = time.process_time_ns()
        used_ns = time.process_time_ns() - used
        if number >= last:
            break
    return {"received": received, "ns": used_ns}


if __name__ == "__main__":
    drive(lambda _: End())
