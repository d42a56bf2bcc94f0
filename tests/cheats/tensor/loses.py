# SPDX-License-Identifier: Apache-2.0
"""Sends every other message only, and its receiver knows of no others."""

from __future__ import annotations

from wirecost.measure.bench.tensor.arrays import Array
from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import ReceivedMessage, TensorMeeting


class Sender(shared_memory.SharedMemorySender):
    """``number`` counts all messages, as the harness asks for it; the ring those that are sent."""

    _sent = 0

    def send(self, encoded: Array) -> None:
        number = self.number
        if number % 2 == 0:
            self.number = self._sent
            super().send(encoded)
            self._sent += 1
        self.number = number + 1


class Receiver(shared_memory.SharedMemoryReceiver):
    def receive(self, timeout: float) -> ReceivedMessage | None:
        got = super().receive(timeout)
        return None if got is None else ReceivedMessage(None, got.message, got.nbytes)


class Loses(shared_memory.SharedMemory):
    def sender(self, meeting: TensorMeeting) -> Sender:
        return Sender(meeting, self.size, in_place=False)

    def receiver(self, meeting: TensorMeeting) -> Receiver:
        return Receiver(meeting, self.size)


contender = Loses
