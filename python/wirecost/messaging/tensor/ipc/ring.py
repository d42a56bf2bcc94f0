# SPDX-License-Identifier: Apache-2.0
"""Slots in a device's memory that a sender writes one after the other, and others read."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from wirecost.messaging.tensor.ipc.driver import Driver, driver
from wirecost.messaging.tensor.ipc.ring_file import SLOTS, RingFile
from wirecost.system.errors import UserError

ALIGNMENT = 256
LEAST_SLOT, MOST_SLOT = 1 << 17, 1 << 27
"""Bytes. The least makes a ring one block of the driver's; with the most it takes 2 GiB."""
OWN: weakref.WeakValueDictionary[bytes, Ring] = weakref.WeakValueDictionary()
"""Rings of this process, by token: the driver does not open them here."""
READING = threading.RLock()
"""Held while a ring is read in this process, and while one is freed."""


@dataclass(frozen=True)
class DeviceMemory:
    """A tensor without gaps on a device.

    ``stream``: on which it is computed; ``owner``: what keeps the memory.
    """

    device: int
    address: int
    nbytes: int
    stream: int
    described: Any
    """Type of the elements, as ``wirecost.tensor.dtypes.describe`` has it."""
    shape: tuple[int, ...]
    owner: Any


def aligned(nbytes: int) -> int:
    """Return what a tensor takes in a slot."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def slot_for(nbytes: int) -> int:
    """Return the size of slots that a message needs. Raises UserError."""
    if nbytes > MOST_SLOT:
        raise UserError(
            f"its tensors on a device take {nbytes:,} bytes, more than {MOST_SLOT:,} per message:"
            " send it in parts, or give publish device_to_host=wirecost.to_host"
        )
    return max(LEAST_SLOT, 1 << (nbytes - 1).bit_length())


class Ring:
    """Ring of ``SLOTS`` slots of ``slot_bytes`` each."""

    def __init__(self, device: int, slot_bytes: int) -> None:
        """Take memory on the device. Raises UserError."""
        self._driver = driver()
        self.device = device
        self.slot_bytes = slot_bytes
        try:
            self.address = self._driver.allocate(device, SLOTS * slot_bytes)
        except UserError as error:
            raise UserError(
                f"{SLOTS} slots of {slot_bytes:,} bytes cannot be had on device {device}: {error};"
                " make room there, or give publish device_to_host=wirecost.to_host"
            ) from error
        try:
            handle = self._driver.handle(device, self.address)
            self._file = RingFile(self._driver.uuids[device], handle, slot_bytes)
        except UserError:
            self._driver.free(device, self.address)
            raise
        self._end = weakref.finalize(
            self, _end, self._file, self._driver, device, self.address, os.getpid()
        )
        self.token = self._file.token
        self.written = 0
        """Messages; the last one's number."""
        OWN[self.token] = self

    def write(self, tensors: Sequence[DeviceMemory]) -> list[int]:
        """Copy a message's tensors into the next slot and wait until they are there.

        Returns their offsets in it. Raises UserError, after which nobody reads the slot.
        """
        self.written += 1
        slot = self.address + self.written % SLOTS * self.slot_bytes
        self._file.begin(self.written)
        offsets, end = [], 0
        for memory in tensors:
            self._driver.copy(self.device, slot + end, memory.address, memory.nbytes, memory.stream)
            offsets.append(end)
            end += aligned(memory.nbytes)
        for stream in {memory.stream for memory in tensors}:
            self._driver.wait(self.device, stream)
        self._file.end(self.written)
        return offsets

    def close(self) -> None:
        """Close it: what nobody has copied is lost. A second call does nothing."""
        self._end()


def _end(file: RingFile, used: Driver, device: int, address: int, owner: int) -> None:
    """Free it, but not in a forked process, whose parent still uses it."""
    if os.getpid() == owner:
        with READING, suppress(UserError):
            file.close()
            used.free(device, address)
