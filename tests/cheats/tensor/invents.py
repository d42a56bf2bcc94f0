# SPDX-License-Identifier: Apache-2.0
"""Sends nothing but the message's number; the receiver makes the content, which it knows."""

from __future__ import annotations

import math

from wirecost.measure.bench.tensor.arrays import Array, ArraySource, raw_bytes
from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import ReceivedMessage, TensorMeeting


class Sender(shared_memory.SharedMemorySender):
    def send(self, encoded: Array) -> None:
        super().send(encoded.reshape(-1)[:1])


class Receiver(shared_memory.SharedMemoryReceiver):
    def __init__(self, meeting: TensorMeeting, size: int, shape: tuple[int, ...]) -> None:
        super().__init__(meeting, size)
        self._source = ArraySource(shape, "float64", "ones")

    def receive(self, timeout: float) -> ReceivedMessage | None:
        got = super().receive(timeout)
        if got is None:
            return None
        assert got.number is not None
        content = raw_bytes(self._source.array(got.number))
        return ReceivedMessage(got.number, content, math.prod(content.shape))


class Invents(shared_memory.SharedMemory):
    def sender(self, meeting: TensorMeeting) -> Sender:
        return Sender(meeting, self.size, in_place=False)

    def receiver(self, meeting: TensorMeeting) -> Receiver:
        return Receiver(meeting, self.size, (self.size // 8,))


contender = Invents
