# SPDX-License-Identifier: Apache-2.0
"""Sends every other message; the receiver hands each out twice, as if none had been lost."""

from __future__ import annotations

from cheats.tensor.loses import Sender
from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import ReceivedMessage, TensorMeeting


class Receiver(shared_memory.SharedMemoryReceiver):
    _again: ReceivedMessage | None = None
    _handed_out = 0

    def receive(self, timeout: float) -> ReceivedMessage | None:
        got, self._again = self._again, None
        if got is None:
            self._again = got = super().receive(timeout)
        if got is None:
            return None
        number, self._handed_out = self._handed_out, self._handed_out + 1
        return ReceivedMessage(number, got.message, got.nbytes)

    def release(self, received: ReceivedMessage) -> None:
        if self._again is None:
            super().release(received)


class FillsGaps(shared_memory.SharedMemory):
    def sender(self, meeting: TensorMeeting) -> Sender:
        return Sender(meeting, self.size, in_place=False)

    def receiver(self, meeting: TensorMeeting) -> Receiver:
        return Receiver(meeting, self.size)


contender = FillsGaps
