# SPDX-License-Identifier: Apache-2.0
"""A process that sends messages at a rate, or receives them, and says what processor time it took.

``python -m wirecost.bench.message.at_rate.worker JOB``; the job is JSON: ``role`` (send, receive),
``transport``, ``address``, ``topic``, ``content``, ``warm``, ``count``, ``rate``. A receiver prints
an empty object once it listens.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wirecost.bench.message.content_file import read_content
from wirecost.errors import UserError
from wirecost.transport import Publisher, Subscriber, open_transport

WAIT_S = 20.0
SILENCE_S = 2.0
"""After which a receiver takes the rest for lost."""


class Bytes:
    """See wirecost.transport.base.Frame."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.nbytes = len(data)

    def parts(self) -> Sequence[memoryview]:
        return (memoryview(self.data),)

    def write_into(self, buffer: Any) -> int:
        buffer[: len(self.data)] = self.data
        return len(self.data)

    def tobytes(self) -> bytes:
        return self.data


def main() -> None:
    job = json.loads(sys.argv[1])
    try:
        with open_transport(job["transport"], job["address"]) as transport:
            if job["role"] == "send":
                with transport.publisher(job["topic"]) as publisher:
                    said = send(publisher, job)
            else:
                with transport.subscriber(job["topic"]) as subscriber:
                    print("{}", flush=True)
                    said = receive(subscriber, job)
            print(json.dumps(said), flush=True)
    except UserError as error:
        sys.exit(str(error))


def send(publisher: Publisher, job: dict[str, Any]) -> dict[str, int]:
    """Processor time of those that count."""
    frames = [Bytes(data) for data in read_content(Path(job["content"]))]
    if not publisher.wait_for_subscriber(WAIT_S):
        raise UserError(f"no subscriber was there within {WAIT_S:.0f} s")
    time.sleep(0.5)  # for the other subscribers
    period = 1 / job["rate"]
    begin = time.perf_counter()
    used = 0
    for number in range(job["warm"] + job["count"]):
        if number == job["warm"]:
            used = time.process_time_ns()
        left = begin + number * period - time.perf_counter()
        if left > 0:
            time.sleep(left)
        publisher.send(frames[number % len(frames)])
    return {"ns": time.process_time_ns() - used}


def receive(subscriber: Subscriber, job: dict[str, Any]) -> dict[str, int]:
    """How many of those that count came, and processor time from the first of them on."""
    last = job["warm"] + job["count"] - 1
    received, taken, silence = 0, 0, WAIT_S + SILENCE_S
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
        taken = time.process_time_ns() - used
        if number >= last:
            break
    return {"received": received, "ns": taken}


if __name__ == "__main__":
    main()
