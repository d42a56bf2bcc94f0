# SPDX-License-Identifier: Apache-2.0
"""Within one process: a copy of the bytes, and wirecost's codec without a transport."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from wirecost.bench.tensor.contenders import base
from wirecost.bench.tensor.contenders.base import Contender, Meeting, Received
from wirecost.bench.tensor.content import Array, raw_bytes
from wirecost.tensor import decode, encode, to_device, to_host_pinned

ALIGNMENT = 64


def _aligned(size: int) -> memoryview:
    """Memory that starts on a multiple of 64, its pages touched."""
    whole = np.ones(size + ALIGNMENT, np.uint8)
    start = -whole.ctypes.data % ALIGNMENT
    return raw_bytes(whole[start : start + size])


_HANDED: deque[tuple[int, memoryview]] = deque()
"""What one end gives to the other."""


class Copier(base.Sender):
    def __init__(self, size: int) -> None:
        self._buffer = _aligned(size)

    def send(self, encoded: Array) -> None:
        self._buffer[: encoded.nbytes] = raw_bytes(encoded)
        _HANDED.append((self.number, self._buffer[: encoded.nbytes]))
        self.number += 1

    def wait_for_receiver(self, timeout: float) -> bool:  # noqa: ARG002
        return True

    def close(self) -> None:
        _HANDED.clear()


class Encoder(Copier):
    """A frame, written into memory as a transport would lend it: one copy."""

    def to_host(self, obj: Any) -> Any:
        return to_host_pinned(obj)

    def encode(self, obj: Any) -> Any:
        return encode(obj)

    def send(self, encoded: Any) -> None:
        if encoded.nbytes > len(self._buffer):
            self._buffer = _aligned(2 * encoded.nbytes)
        encoded.write_into(self._buffer)
        _HANDED.append((self.number, self._buffer[: encoded.nbytes]))
        self.number += 1


class Receiver(base.Receiver):
    def receive(self, timeout: float) -> Received | None:  # noqa: ARG002
        if not _HANDED:
            return None
        number, view = _HANDED.popleft()
        return Received(number, view, len(view))

    def decode(self, message: memoryview) -> Any:
        return message

    def close(self) -> None:
        """There is nothing to close."""


class Decoder(Receiver):
    def decode(self, message: memoryview) -> Any:
        return decode(message, as_=self.as_)

    def to_device(self, obj: Any, device: str) -> Any:
        return to_device(obj, device)


class InProcess(Contender):
    one_process = True

    def sender(self, meeting: Meeting) -> Copier:  # noqa: ARG002
        return Encoder(self.size) if self.takes_objects else Copier(self.size)

    def receiver(self, meeting: Meeting) -> Receiver:  # noqa: ARG002
        return Decoder() if self.takes_objects else Receiver()


class Memcpy(InProcess):
    takes_objects = False


def contender(name: str, size: int) -> Contender:
    return Memcpy(name, size) if name == "memcpy" else InProcess(name, size)
