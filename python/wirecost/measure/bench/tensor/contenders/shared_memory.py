# SPDX-License-Identifier: Apache-2.0
"""Floor: a ring in anonymous shared memory and an eventfd that wakes the listener.

With one copy, or with the content made in place: the least that any path between two processes of a
machine costs.
"""

from __future__ import annotations

import mmap
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from wirecost.measure.bench.tensor.arrays import Array, raw_bytes
from wirecost.measure.bench.tensor.contenders import base
from wirecost.measure.bench.tensor.contenders.base import (
    ReceivedMessage,
    TensorContender,
    TensorMeeting,
)
from wirecost.measure.bench.tensor.plugins import FrameworkPlugin
from wirecost.system.errors import UserError

NAMES = ("shm", "shm-in-place")
PLUGIN_ORDER = 2
SLOTS = 4
NUMBER = 8
"""Bytes behind the content of a slot, for its message's number."""
IN_PLACE = "shm-in-place"


def _slot_bytes(size: int) -> int:
    return -(-(size + NUMBER) // mmap.PAGESIZE) * mmap.PAGESIZE


class _Ring:
    """Mapped slots, with a descriptor that counts the full ones and one for the free ones.

    The operating system frees the memory with the last process.
    """

    def __init__(self, meeting: TensorMeeting, size: int) -> None:
        self._memory, self.full, self.free = meeting.descriptors
        self._stride = _slot_bytes(size)
        self._size = size
        self._view = memoryview(mmap.mmap(self._memory, SLOTS * self._stride))

    def content(self, number: int, size: int) -> memoryview:
        if size > self._size:
            raise UserError(f"shm: {size} bytes do not fit into slots of {self._size}")
        start = number % SLOTS * self._stride
        return self._view[start : start + size]

    def header(self, number: int) -> memoryview:
        """Return size and number of the message in a slot."""
        end = (number % SLOTS + 1) * self._stride
        return self._view[end - NUMBER : end].cast("Q")


class SharedMemorySender(base.TensorSender):
    """Sender that waits for a free slot: nothing is lost."""

    def __init__(self, meeting: TensorMeeting, size: int, in_place: bool) -> None:
        self._ring = _Ring(meeting, size)
        self._in_place = in_place
        self._poll = select.poll()
        self._poll.register(self._ring.free, select.POLLIN)

    def make(self, plugin: FrameworkPlugin, module: Any, array: Array, device: str) -> Any:
        if not self._in_place:
            return plugin.make(module, array, device)
        self._take()
        slot = self._ring.content(self.number, array.nbytes)
        content = np.frombuffer(slot, array.dtype).reshape(array.shape)
        np.copyto(content, array)
        return content

    def _take(self) -> None:
        if not self._poll.poll(5000):
            raise UserError("shm: no slot became free within 5 s")
        os.eventfd_read(self._ring.free)

    def send(self, encoded: Array) -> None:
        if not self._in_place:
            self._take()
            view = raw_bytes(encoded)
            self._ring.content(self.number, encoded.nbytes)[:] = view
        self._ring.header(self.number)[0] = encoded.nbytes
        self.number += 1
        os.eventfd_write(self._ring.full, 1)


class SharedMemoryReceiver(base.TensorReceiver):
    def __init__(self, meeting: TensorMeeting, size: int) -> None:
        self._ring = _Ring(meeting, size)
        self._number = 0
        self._poll = select.poll()
        self._poll.register(self._ring.full, select.POLLIN)

    def receive(self, timeout: float) -> ReceivedMessage | None:
        if not self._poll.poll(timeout * 1000):
            return None
        os.eventfd_read(self._ring.full)
        number, self._number = self._number, self._number + 1
        size = self._ring.header(number)[0]
        return ReceivedMessage(number, self._ring.content(number, size), size)

    def release(self, received: ReceivedMessage) -> None:  # noqa: ARG002
        os.eventfd_write(self._ring.free, 1)


class SharedMemory(TensorContender):
    takes_objects = False

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        memory = os.memfd_create("wirecost-bench")
        full = os.eventfd(0, os.EFD_SEMAPHORE)
        free = os.eventfd(SLOTS, os.EFD_SEMAPHORE)
        try:
            os.ftruncate(memory, SLOTS * _slot_bytes(self.size))
            yield TensorMeeting(descriptors=(memory, full, free))
        finally:
            for descriptor in (memory, full, free):
                os.close(descriptor)

    def sender(self, meeting: TensorMeeting) -> SharedMemorySender:
        return SharedMemorySender(meeting, self.size, self.name == IN_PLACE)

    def receiver(self, meeting: TensorMeeting) -> SharedMemoryReceiver:
        return SharedMemoryReceiver(meeting, self.size)


contender = SharedMemory
