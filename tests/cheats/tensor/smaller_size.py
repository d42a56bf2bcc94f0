# SPDX-License-Identifier: Apache-2.0
"""Reports half the bytes of each message."""

from __future__ import annotations

from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import ReceivedMessage, TensorMeeting


class Receiver(shared_memory.SharedMemoryReceiver):
    def receive(self, timeout: float) -> ReceivedMessage | None:
        got = super().receive(timeout)
        return got and ReceivedMessage(got.number, got.message, got.nbytes // 2)


class SmallerSize(shared_memory.SharedMemory):
    def receiver(self, meeting: TensorMeeting) -> Receiver:
        return Receiver(meeting, self.size)


contender = SmallerSize
