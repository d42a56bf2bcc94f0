# SPDX-License-Identifier: Apache-2.0
"""Other processes' rings, opened once and kept while they are in use."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from wirecost.messaging.tensor.errors import FrameError, LostError
from wirecost.messaging.tensor.ipc import ring
from wirecost.messaging.tensor.ipc.driver import driver
from wirecost.messaging.tensor.ipc.ring import ALIGNMENT, MOST_SLOT, READING, Ring
from wirecost.messaging.tensor.ipc.ring_file import SLOTS, TOKEN_BYTES, FollowedFile
from wirecost.messaging.tensor.memory import room
from wirecost.messaging.tensor.source import Form
from wirecost.system.errors import UserError

MOST_OPEN = 64
"""Rings that are kept open; those read longest ago are closed before."""
_MOST_NUMBER = 1 << 62
_OPEN: OrderedDict[tuple[int, bytes], _Opened] = OrderedDict()
"""Open rings, by process and token."""
_GONE: deque[tuple[int, bytes]] = deque(maxlen=4 * MOST_OPEN)
"""Rings whose sender has ended: messages that still come of theirs are lost."""


class _Opened:
    """A ring of another process, or of this one."""

    def __init__(self, token: bytes) -> None:
        """Open the ring. Raises LostError, FrameError, UserError."""
        self.file = FollowedFile(token)
        own = ring.OWN.get(token)
        self._is_own = own is not None
        try:
            self.file.check_sender()
            self.device = self._device()
            self.address, size = self._memory(own)
            slot_bytes = self.file.slot_bytes
            if not 0 < slot_bytes <= MOST_SLOT or slot_bytes * SLOTS > size:
                self._give_back()
                raise FrameError("frame: the ring of its tensors is smaller than its file says")
        except BaseException:
            self.file.close()
            raise

    def _device(self) -> int:
        uuids = driver().uuids
        if self.file.uuid not in uuids:
            raise FrameError(
                f"frame: its tensors lie on GPU-{self.file.uuid.hex()}, which this process does not"
                " have: look at CUDA_VISIBLE_DEVICES, or let the sender send by way of the host"
            )
        return uuids.index(self.file.uuid)

    def _memory(self, own: Ring | None) -> tuple[int, int]:
        if own is not None:
            return own.address, SLOTS * own.slot_bytes
        try:
            return driver().open(self.device, self.file.handle)
        except UserError as error:
            raise FrameError(f"frame: its tensors' memory cannot be opened: {error}") from error

    def _give_back(self) -> None:
        if not self._is_own:
            with suppress(UserError):
                driver().close(self.device, self.address)

    def close(self) -> None:
        """Close it. To be called once."""
        self._give_back()
        self.file.close()


class Place:
    """A checked place of a message in a ring: ``device``, as this process counts them."""

    def __init__(self, opened: _Opened, number: int, offset: int, nbytes: int) -> None:
        """Hold what ``reading`` made."""
        self.device = opened.device
        self._opened = opened
        self._nbytes = nbytes
        self._address = opened.address + number % SLOTS * opened.file.slot_bytes + offset

    def copy(self, address: int, stream: int) -> None:
        """Copy to an address on the device; waits until it is there."""
        used = driver()
        used.copy(self.device, address, self._address, self._nbytes, stream)
        used.wait(self.device, stream)

    def to_host(self) -> Any:
        """Return an array of bytes on the host."""
        host = room(self._nbytes)
        driver().copy_to_host(self.device, host.ctypes.data, self._address, self._nbytes)
        return host


@contextmanager
def reading(token: Any, number: Any, offset: Any, form: Form) -> Iterator[Place]:
    """Yield where a tensor lies, while it may be copied.

    What was copied counts only if this ends without an error. Raises LostError where it is not
    there any more, FrameError, UserError.
    """
    if type(token) is not bytes or len(token) != TOKEN_BYTES:
        raise FrameError("frame: the ring of a tensor on a device cannot be read")
    if type(number) is not int or not 0 < number < _MOST_NUMBER:
        raise FrameError("frame: the number of a tensor on a device cannot be read")
    with READING:
        key = os.getpid(), token
        opened = _opened(key)
        try:
            free = opened.file.slot_bytes - form.nbytes
            if type(offset) is not int or offset % ALIGNMENT or not 0 <= offset <= free:
                raise FrameError("frame: a tensor on a device lies outside of its slot")
            opened.file.check(number)
            yield Place(opened, number, offset, form.nbytes)
            opened.file.check(number)
        except LostError:
            _close_ended()
            raise
        if number % SLOTS == 0:
            _close_ended()


def _opened(key: tuple[int, bytes]) -> _Opened:
    ring = _OPEN.get(key)
    if ring is None:
        if key in _GONE:
            raise LostError("frame: its tensors on a device are gone: their sender has ended")
        _close_ended()
        while len(_OPEN) >= MOST_OPEN:
            _close(next(iter(_OPEN)))
        ring = _OPEN[key] = _Opened(key[1])
    _OPEN.move_to_end(key)
    return ring


def _close_ended() -> None:
    """Free the memory of senders that have ended, as soon as nobody has it open any more."""
    for key in [key for key, opened in _OPEN.items() if opened.file.ended()]:
        _close(key)
        _GONE.append(key)


def _close(key: tuple[int, bytes]) -> None:
    _OPEN.pop(key).close()
