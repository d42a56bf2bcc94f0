# SPDX-License-Identifier: Apache-2.0
"""Progress of a publisher: frames sent so far, where listeners of the same user can look them up.

A listener knows of a loss by the next frame's number. Where no next one comes, or only after all
that waits, it looks here: a file per publisher in a private folder, mapped by both sides.
"""

from __future__ import annotations

import mmap
import os
import struct
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from wirecost.messaging.transport.shared.rendezvous import private_folder, sweep
from wirecost.system.errors import UserError
from wirecost.system.locks import Lock, hold

FOLDER = "streams"
PATTERN = "*.sent"
SENT = struct.Struct("<Q")


def _path(folder: Path, stream: int) -> Path:
    return folder / f"{stream:016x}.sent"


class Progress:
    """A publisher's side: ``sent[0] = n``: this process has sent n frames."""

    def __init__(self, stream: int) -> None:
        """Make the file; without a folder nobody can look it up."""
        self.sent = memoryview(bytearray(SENT.size)).cast("Q")
        self._end: Callable[[], object] = bool
        with suppress(UserError, OSError):
            folder = private_folder(FOLDER)
            sweep(folder, PATTERN)
            lock = hold(_path(folder, stream))
            self._end = weakref.finalize(self, _close, lock, os.getpid())
            os.posix_fallocate(lock.fileno(), 0, SENT.size)
            mapped = mmap.mmap(lock.fileno(), SENT.size)
            self.sent = memoryview(mapped).cast("Q")

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
