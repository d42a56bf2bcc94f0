# SPDX-License-Identifier: Apache-2.0
"""Lock files that the kernel releases with the process that holds them, however it ends.

A process that can take one knows that its former owner is dead; no process number is looked at,
which another process may have by now.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from contextlib import suppress
from pathlib import Path

PATIENCE_S = 0.5
"""Seconds to wait: others look briefly whether a lock is held, and hold it while they do."""


class Lock:
    """A file that this process has locked. It is not inherited by programs that it starts."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def fileno(self) -> int:
        """Return the descriptor of the open file."""
        return self._descriptor

    def read(self) -> str:
        """Return the file's content."""
        return os.pread(self._descriptor, 4096, 0).decode(errors="replace")

    def release(self, *beside: Path, remove: bool = True) -> None:
        """Release the lock; a second call does nothing.

        ``remove``: remove its file and those ``beside`` it, unless others share the lock.
        """
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor < 0:
            return
        try:
            if remove:
                with suppress(BlockingIOError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    for path in (*beside, self.path):
                        path.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def hold(
    path: Path, *, shared: bool = False, create: bool = True, patience_s: float = PATIENCE_S
) -> Lock:
    """Take the lock, and make its file if need be.

    Raises BlockingIOError if another process still has it after ``patience_s``, or if it is another
    user's; FileNotFoundError if it is not there and not ``create``; other OSErrors.
    """
    end = time.monotonic() + patience_s
    while True:
        try:
            return _take(path, shared, create)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise
        time.sleep(0.01)


def claim(path: Path) -> Lock | None:
    """Take the lock as ``hold`` does; None where another process has it. Raises OSError."""
    try:
        return hold(path)
    except BlockingIOError:
        return None


def of_the_dead(path: Path) -> Lock | None:
    """Take the lock of a process that has ended.

    None where there is none, its process lives, or the file is not this user's.
    """
    try:
        return hold(path, create=False, patience_s=0)
    except OSError:
        return None


def _take(path: Path, shared: bool, create: bool) -> Lock:
    # A FIFO would block.
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    while True:
        descriptor = os.open(path, flags | (os.O_CREAT if create else 0), 0o600)
        locked = False
        try:
            status = os.fstat(descriptor)
            if status.st_uid != os.geteuid() or not stat.S_ISREG(status.st_mode):
                raise BlockingIOError(errno.EAGAIN, "another user's, or no file", str(path))
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            # Its last owner may have removed the file before it was locked.
            with suppress(FileNotFoundError):
                locked = os.path.samestat(status, path.lstat())
            if locked:
                return Lock(path, descriptor)
        finally:
            if not locked:
                os.close(descriptor)
