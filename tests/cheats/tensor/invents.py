# SPDX-License-Identifier: Apache-2.0
"""Sends nothing but the message's number; the receiver makes the content, which it knows."""

from __future__ import annotations

import math

from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import Meeting, Received
from wirecost.measure.bench.tensor.content import Array, Source, raw_bytes


class Sender(shared_memory.Sender):
    def send(self, encoded: Array) -> None:
        super().send(encoded.reshape(-1)[:1])


class Receiver(shared_memory.Receiver):
    def __init__(self, meeting: Meeting, size: int, shape: tuple[int, ...]) -> None:
        super().__init__(meeting, size)
        self._source = Source(shape, "float64", "ones")

    def receive(self, timeout: float) -> Received | None:
        got = super().receive(timeout)
        if got is None:
            return None
        assert got.number is not None
        made = raw_bytes(self._source.array(got.number))
        return Received(got.number, made, math.prod(made.shape))


class Invents(shared_memory.SharedMemory):
    def sender(self, meeting: Meeting) -> Sender:
        return Sender(meeting, self.size, in_place=False)

    def receiver(self, meeting: Meeting) -> Receiver:
        return Receiver(meeting, self.size, (self.size // 8,))


contender = Invents
