# SPDX-License-Identifier: Apache-2.0
"""Sends every other message; the receiver hands each out twice, as if none had been lost."""

from __future__ import annotations

from cheats.tensor.loses import Sender
from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import Meeting, Received


class Receiver(shared_memory.Receiver):
    _again: Received | None = None
    _handed_out = 0

    def receive(self, timeout: float) -> Received | None:
        got, self._again = self._again, None
        if got is None:
            self._again = got = super().receive(timeout)
        if got is None:
            return None
        number, self._handed_out = self._handed_out, self._handed_out + 1
        return Received(number, got.message, got.nbytes)

    def release(self, received: Received) -> None:
        if self._again is None:
            super().release(received)


class FillsGaps(shared_memory.SharedMemory):
    def sender(self, meeting: Meeting) -> Sender:
        return Sender(meeting, self.size, in_place=False)

    def receiver(self, meeting: Meeting) -> Receiver:
        return Receiver(meeting, self.size)


contender = FillsGaps
