# SPDX-License-Identifier: Apache-2.0
"""Progress of a publisher: frames sent so far, where listeners of the same user can look them up.

A listener knows of a loss by the next frame's number. Where no next one comes, or only after all
that waits, it looks here: a file per publisher in a private folder, mapped by both sides. Behind
the number a publisher may announce itself in a few bytes, for those who list what is there.
"""

from __future__ import annotations

import mmap
import os
import struct
import weakref
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from wirecost.messaging.transport.shared.rendezvous import private_folder, sweep
from wirecost.system.errors import UserError
from wirecost.system.locks import Lock, hold

FOLDER = "streams"
PATTERN = "*.sent"
SENT = struct.Struct("<Q")
BEFORE = struct.Struct("<II")
"""Length and CRC-32 of the announcement, which follows."""
MOST_ANNOUNCED = 4096
"""Bytes of an announcement."""


def _path(folder: Path, stream: int) -> Path:
    return folder / f"{stream:016x}.sent"


class Progress:
    """A publisher's side: ``sent[0] = n``: this process has sent n frames."""

    def __init__(self, stream: int) -> None:
        """Make the file; without a folder nobody can look it up."""
        self.sent = memoryview(bytearray(SENT.size)).cast("Q")
        self._end: Callable[[], object] = bool
        self._lock: Lock | None = None
        with suppress(UserError, OSError):
            folder = private_folder(FOLDER)
            sweep(folder, PATTERN)
            lock = hold(_path(folder, stream))
            self._end = weakref.finalize(self, _close, lock, os.getpid())
            os.posix_fallocate(lock.fileno(), 0, SENT.size)
            mapped = mmap.mmap(lock.fileno(), SENT.size)
            self.sent = memoryview(mapped).cast("Q")
            self._lock = lock

    def announce(self, text: bytes) -> None:
        """Let ``announced`` find it, in the place of what was announced before.

        Not where it cannot be looked up, nor with more than ``MOST_ANNOUNCED`` bytes.
        """
        if self._lock is not None and len(text) <= MOST_ANNOUNCED:
            with suppress(OSError):  # a full disk, or it is closed already
                written = BEFORE.pack(len(text), zlib.crc32(text)) + text
                os.pwrite(self._lock.fileno(), written, SENT.size)

    def close(self) -> None:
        """Close it. A second call does nothing."""
        self._end()


def _close(lock: Lock, owner: int) -> None:
    """Release the lock, but not in a forked process, which ends before its parent may."""
    if os.getpid() == owner:
        lock.release()


class Followed:
    """A listener's side, which outlives the publisher."""

    def __init__(self, stream: int) -> None:
        """Map the file. Raises UserError, OSError, ValueError where it cannot be looked up."""
        self._path = _path(private_folder(FOLDER), stream)
        file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            self._mapped = mmap.mmap(file, SENT.size, access=mmap.ACCESS_READ)
        finally:
            os.close(file)

    @property
    def sent(self) -> int:
        """Return frames that were sent up to now."""
        sent: int = SENT.unpack(self._mapped)[0]
        return sent

    @property
    def ended(self) -> bool:
        """Return whether the publisher has closed or its process has ended."""
        try:
            hold(self._path, create=False, patience_s=0).release()
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True


def follow(stream: int) -> Followed | None:
    """Return a publisher's progress.

    Returns None of one on another machine, of another user, or that has closed before.
    """
    try:
        return Followed(stream)
    except (UserError, OSError, ValueError):
        return None
