# SPDX-License-Identifier: Apache-2.0
"""Hands the sender's own object to the receiver."""

from __future__ import annotations

from typing import Any

from wirecost.measure.bench.tensor.contenders import in_process
from wirecost.measure.bench.tensor.contenders.base import (
    HANDED,
    ReceivedMessage,
    Taker,
    TensorMeeting,
)


class Sender(in_process.FrameEncoder):
    def encode(self, obj: Any) -> Any:
        return obj

    def send(self, encoded: Any) -> None:
        HANDED.append((self.number, encoded))
        self.number += 1


class Receiver(Taker):
    def receive(self, timeout: float) -> ReceivedMessage | None:  # noqa: ARG002
        number, obj = HANDED.popleft()
        return ReceivedMessage(number, obj, obj.nbytes)


class HandsOver(in_process.InProcess):
    def sender(self, meeting: TensorMeeting) -> Sender:  # noqa: ARG002
        return Sender(self.size)

    def receiver(self, meeting: TensorMeeting) -> Receiver:  # noqa: ARG002
        return Receiver()


contender = HandsOver
