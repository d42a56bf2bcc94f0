# SPDX-License-Identifier: Apache-2.0
"""Client of ``bench transport`` whose ZeroMQ harms messages by their size: see ``FAULTS``."""

from __future__ import annotations

import time
from typing import Any

from wirecost.measure.bench.transport import client
from wirecost.messaging.transport import Publisher, Sample, Subscriber, Transport, open_transport
from wirecost.messaging.transport.base import MemoryFrame
from wirecost.messaging.transport.quality import Quality

FAULTS = {100: "none", 101: "drop", 102: "double", 103: "reorder", 104: "delay", 105: "corrupt"}
EVERY = {"drop": 1000, "double": 200, "reorder": 200, "corrupt": 500}
"""Of so many messages one."""
DELAY_S = 0.001


class FaultyPublisher:
    def __init__(self, inner: Publisher) -> None:
        self._inner = inner
        self._held: MemoryFrame | None = None
        self._count = 0

    def send(self, frame: Any) -> bool:
        fault = FAULTS.get(frame.nbytes, "none")
        self._count += 1
        now = self._count % EVERY.get(fault, 1) == 0
        if fault == "drop" and now:
            return True
        if fault == "reorder" and now:
            self._held = MemoryFrame(memoryview(frame.tobytes()))
            return True
        if fault == "corrupt" and now:
            data = bytearray(frame.tobytes())
            data[50] ^= 1
            frame = MemoryFrame(memoryview(data))
        done = self._inner.send(frame)
        if fault == "double" and now:
            self._inner.send(frame)
        if self._held is not None:
            held, self._held = self._held, None
            self._inner.send(held)
        return done

    def close(self) -> None:
        self._inner.close()


class LateSubscriber:
    def __init__(self, inner: Subscriber) -> None:
        self._inner = inner

    def receive(self, timeout: float | None = None) -> Sample | None:
        sample = self._inner.receive(timeout)
        if sample is not None and FAULTS.get(sample.buffer.nbytes) == "delay":
            time.sleep(DELAY_S)
        return sample

    def close(self) -> None:
        self._inner.close()


def opened(name: str, address: str | None, quality: Quality) -> Transport:
    transport: Any = open_transport(name, address, quality)
    publisher, subscriber = transport.publisher, transport.subscriber
    transport.publisher = lambda topic: FaultyPublisher(publisher(topic))
    transport.subscriber = lambda topic, depth: LateSubscriber(subscriber(topic, depth=depth))
    opened_transport: Transport = transport
    return opened_transport


if __name__ == "__main__":
    client.main(opened)
