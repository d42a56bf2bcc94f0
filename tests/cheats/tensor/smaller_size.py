# SPDX-License-Identifier: Apache-2.0
"""Reports half the bytes of each message."""

from __future__ import annotations

from wirecost.measure.bench.tensor.contenders import shared_memory
from wirecost.measure.bench.tensor.contenders.base import Meeting, Received


class Receiver(shared_memory.Receiver):
    def receive(self, timeout: float) -> Received | None:
        got = super().receive(timeout)
        return got and Received(got.number, got.message, got.nbytes // 2)


class SmallerSize(shared_memory.SharedMemory):
    def receiver(self, meeting: Meeting) -> Receiver:
        return Receiver(meeting, self.size)


contender = SmallerSize
