# SPDX-License-Identifier: Apache-2.0
"""Within one process: a copy of the bytes, and wirecost's codec without a transport."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.measure.bench.tensor.arrays import Array, raw_bytes
from wirecost.measure.bench.tensor.contenders.base import (
    Hander,
    Taker,
    TensorContender,
    TensorMeeting,
)
from wirecost.messaging.tensor import decode, encode, to_device, to_host_pinned

NAMES = ("memcpy", "in-process")
PLUGIN_ORDER = 1
ALIGNMENT = 64


def _aligned(size: int) -> memoryview:
    """Return memory that starts on a multiple of 64, its pages touched."""
    whole = np.ones(size + ALIGNMENT, np.uint8)
    start = -whole.ctypes.data % ALIGNMENT
    return raw_bytes(whole[start : start + size])


class Copier(Hander):
    def __init__(self, size: int) -> None:
        self._buffer = _aligned(size)

    def send(self, encoded: Array) -> None:
        self._buffer[: encoded.nbytes] = raw_bytes(encoded)
        super().send(self._buffer[: encoded.nbytes])


class FrameEncoder(Copier):
    """Encoder into memory as a transport would lend it: one copy."""

    def to_host(self, obj: Any) -> Any:
        return to_host_pinned(obj)

    def encode(self, obj: Any) -> Any:
        return encode(obj)

    def send(self, encoded: Any) -> None:
        if encoded.nbytes > len(self._buffer):
            self._buffer = _aligned(2 * encoded.nbytes)
        encoded.write_into(self._buffer)
        Hander.send(self, self._buffer[: encoded.nbytes])


class FrameDecoder(Taker):
    def decode(self, message: memoryview) -> Any:
        return decode(message, as_=self.as_)

    def to_device(self, obj: Any, device: str) -> Any:
        return to_device(obj, device)


class InProcess(TensorContender):
    one_process = True

    def sender(self, meeting: TensorMeeting) -> Copier:  # noqa: ARG002
        return FrameEncoder(self.size) if self.takes_objects else Copier(self.size)

    def receiver(self, meeting: TensorMeeting) -> Taker:  # noqa: ARG002
        return FrameDecoder() if self.takes_objects else Taker()


class Memcpy(InProcess):
    takes_objects = False


def contender(name: str, size: int) -> TensorContender:
    return Memcpy(name, size) if name == "memcpy" else InProcess(name, size)
