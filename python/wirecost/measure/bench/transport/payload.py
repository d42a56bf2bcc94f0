# SPDX-License-Identifier: Apache-2.0
"""The content of a message as ``protocol`` prescribes it: filled, and checked."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

from wirecost.measure.bench.transport.choices import LEAST_BYTES
from wirecost.messaging.transport.base import MemoryFrame

PAGE = 4096
PART = 1 << 16
_MASK = (1 << 64) - 1
_FACTOR = 0x9E3779B1


def template(size: int) -> NDArray[np.uint8]:
    """Return the bytes that are the same in each message of that size."""
    content = np.empty(size, np.uint8)
    # In parts, since what is between has four times the size.
    offsets = np.arange(min(size, PART), dtype=np.uint32)
    for begin in range(0, size, PART):
        part = content[begin : begin + PART]
        with np.errstate(over="ignore"):
            there = offsets[: len(part)] + np.uint32(begin)
            part[:] = (there * np.uint32(_FACTOR)) >> np.uint32(24)
    return content


@cache
def digest(size: int) -> str:
    """Return the digest of message 0 of run 0."""
    content = TransportPayload(size, 0).set(0).parts()[0]
    return hashlib.blake2b(content, digest_size=8).hexdigest()


class TransportPayload(MemoryFrame):
    """Content of messages of ``size`` bytes of one run."""

    def __init__(self, size: int, run: int) -> None:
        if size < LEAST_BYTES:
            raise ValueError(f"{size} bytes are too few")
        self._bytes = template(size)
        super().__init__(self._bytes.data)
        pages = np.arange(1, max(1, (size - 16) // PAGE + 1))
        self._pages = pages.astype(np.uint64)
        whole = self._bytes[: size // PAGE * PAGE + (8 if size % PAGE >= 8 else 0)]
        # The first eight bytes of every page, as a view that one assignment fills.
        self._stamps = np.lib.stride_tricks.as_strided(
            whole[PAGE:] if len(pages) else whole[:0], (len(pages), 8), (PAGE, 1)
        )
        self._bytes[:8] = np.frombuffer((run & _MASK).to_bytes(8, "little"), np.uint8)
        self.run = run
        self._number = -2

    def set(self, number: int) -> TransportPayload:
        """Make it message ``number``."""
        self._number = number
        low = number & _MASK
        self._view[8:16] = low.to_bytes(8, "little")
        if len(self._pages):
            with np.errstate(over="ignore"):
                values = self._pages + np.uint64(low)
            self._stamps[:] = values.astype("<u8").view(np.uint8).reshape(-1, 8)
        self._view[self.nbytes - 8 :] = (~number & _MASK).to_bytes(8, "little")
        return self

    def equals(self, message: memoryview, number: int) -> bool:
        """Return whether every byte of a received message is that of ``number``."""
        if number != self._number:
            self.set(number)
        return message.nbytes == self.nbytes and bool(
            np.array_equal(np.frombuffer(message, np.uint8), self._bytes)
        )


def read_head(message: memoryview) -> tuple[int, int] | None:
    """Return run and number of a message whose end fits; None for one that is damaged."""
    if message.nbytes < LEAST_BYTES:
        return None
    run = int.from_bytes(message[:8], "little")
    number = int.from_bytes(message[8:16], "little", signed=True)
    if int.from_bytes(message[-8:], "little") != ~number & _MASK:
        return None
    return run, number
