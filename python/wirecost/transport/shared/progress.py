# SPDX-License-Identifier: Apache-2.0
"""How many frames a publisher has sent, where listeners of the same user can look it up.

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

from wirecost.errors import UserError
from wirecost.locks import Lock, hold
from wirecost.transport.shared.rendezvous import private_folder, sweep

_FOLDER = "streams"
_SENT = struct.Struct("<Q")


def _path(folder: Path, stream: int) -> Path:
    return folder / f"{stream:016x}.sent"


class Progress:
    """A publisher's side: ``sent[0] = n``: this process has sent n frames."""

    def __init__(self, stream: int) -> None:
        """Without a folder nobody can look it up."""
        self.sent = memoryview(bytearray(_SENT.size)).cast("Q")
        self._end: Callable[[], object] = bool
        with suppress(UserError, OSError):
            folder = private_folder(_FOLDER)
            sweep(folder, "*.sent")
            lock = hold(_path(folder, stream))
            self._end = weakref.finalize(self, _close, lock, os.getpid())
            os.posix_fallocate(lock.fileno(), 0, _SENT.size)
            mapped = mmap.mmap(lock.fileno(), _SENT.size)
            self.sent = memoryview(mapped).cast("Q")

    def close(self) -> None:
        """A second call does nothing."""
        self._end()


def _close(lock: Lock, owner: int) -> None:
    """Not in a forked process, which ends before its parent may."""
    if os.getpid() == owner:
        lock.release()


class Followed:
    """A listener's side, which outlives the publisher."""

    def __init__(self, stream: int) -> None:
        """Raises UserError, OSError, ValueError where it cannot be looked up."""
        self._path = _path(private_folder(_FOLDER), stream)
        file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            self._mapped = mmap.mmap(file, _SENT.size, access=mmap.ACCESS_READ)
        finally:
            os.close(file)

    @property
    def sent(self) -> int:
        """Frames that were sent up to now."""
        found: int = _SENT.unpack(self._mapped)[0]
        return found

    @property
    def ended(self) -> bool:
        """Whether the publisher has closed or its process has ended."""
        try:
            hold(self._path, create=False, patience_s=0).release()
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True


def follow(stream: int) -> Followed | None:
    """A publisher's progress; None of one on another machine, of another user, or that has closed
    before."""
    try:
        return Followed(stream)
    except (UserError, OSError, ValueError):
        return None
