# SPDX-License-Identifier: Apache-2.0
"""Sends every other message only, and its receiver knows of no others."""

from __future__ import annotations

from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import Meeting, Received
from wirecost.measure.bench.tensor.content import Array


class Sender(shared_memory.Sender):
    """``number`` counts all messages, as the harness asks for it; the ring those that are sent."""

    _sent = 0

    def send(self, encoded: Array) -> None:
        number = self.number
        if number % 2 == 0:
            self.number = self._sent
            super().send(encoded)
            self._sent += 1
        self.number = number + 1


class Receiver(shared_memory.Receiver):
    def receive(self, timeout: float) -> Received | None:
        got = super().receive(timeout)
        return None if got is None else Received(None, got.message, got.nbytes)


class Loses(shared_memory.SharedMemory):
    def sender(self, meeting: Meeting) -> Sender:
        return Sender(meeting, self.size, in_place=False)

    def receiver(self, meeting: Meeting) -> Receiver:
        return Receiver(meeting, self.size)


contender = Loses
