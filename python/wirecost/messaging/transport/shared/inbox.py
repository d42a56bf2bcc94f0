# SPDX-License-Identifier: Apache-2.0
"""Messages between a middleware's thread and the one that receives."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import suppress
from typing import Any

_MANY = 1 << 12
"""More than threads wait at one; each costs time, whether it waits or not."""


class Inbox:
    """The newest ``depth`` messages.

    An older one makes room and shows as lost, unless ``waits``: then who puts one waits for room.
    """

    def __init__(self, depth: int, waits: bool = False) -> None:
        self._depth = depth
        self._room = threading.Semaphore(depth) if waits else None
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._signal: int | None = None
        self._signalling = threading.Lock()

    def put(self, message: Any) -> None:
        """Put a message in, from any thread."""
        if (room := self._room) is not None:
            room.acquire()
        elif self._waiting.qsize() >= self._depth:
            with suppress(queue.Empty):
                self._waiting.get_nowait()
        self._waiting.put(message)
        if self._signal is not None:
            self._notify()

    def _notify(self) -> None:
        # The descriptor's number may be another file's once it is closed.
        with self._signalling:
            if self._signal is not None:
                os.eventfd_write(self._signal, 1)

    def take(self, timeout: float | None) -> Any:
        """Return the oldest message, or None after ``timeout`` seconds."""
        try:
            message = self._waiting.get(timeout != 0, timeout or None)
        except queue.Empty:
            return None
        if self._room is not None:
            self._room.release()
        if self._signal is not None and self._waiting.empty():
            with suppress(BlockingIOError):
                os.eventfd_read(self._signal)
            # One that came in between would otherwise make nothing readable.
            if not self._waiting.empty():
                self._notify()
        return message

    @property
    def waiting(self) -> int:
        """Return the number of messages that nobody has taken."""
        return self._waiting.qsize()

    def fileno(self) -> int:
        """Return a descriptor that is readable while messages wait; made when first needed."""
        if self._signal is None:
            self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
            if not self._waiting.empty():
                self._notify()
        return self._signal

    def never_wait(self) -> None:
        """Let nobody wait any more, from now on: nobody takes messages."""
        room, self._room = self._room, None
        if room is not None:
            room.release(_MANY)

    def close(self) -> None:
        """Close it: what is put from now on makes no descriptor readable."""
        self.never_wait()
        with self._signalling:
            signal, self._signal = self._signal, None
        if signal is not None:
            os.close(signal)
