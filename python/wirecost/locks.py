# SPDX-License-Identifier: Apache-2.0
"""Lock files that the kernel takes away with the process that holds them, however it ends.

So whoever can take one knows that its former owner is dead; no process number is asked, which
another process may have by now.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 0.5
"""Others look briefly whether a lock is held, and hold it while they do."""


@dataclass(frozen=True)
class Lock:
    """A file that this process has locked. It is not inherited by programs that it starts."""

    path: Path
    _descriptor: int

    def release(self, remove: bool = True) -> None:
        """Gives it back; ``remove``: with its file, which is then nobody's."""
        try:
            if remove:
                self.path.unlink(missing_ok=True)
        finally:
            os.close(self._descriptor)


def claim(path: Path) -> Lock | None:
    """The lock, its file made if need be; None where another process has it. Raises OSError."""
    end = time.monotonic() + PATIENCE_S
    while (lock := _take(path, os.O_CREAT)) is None and time.monotonic() < end:
        time.sleep(0.01)
    return lock


def of_the_dead(path: Path) -> Lock | None:
    """The lock of a process that has ended; None where there is none, it lives, or the file is
    not this user's."""
    try:
        return _take(path, 0)
    except OSError:
        return None


def _take(path: Path, create: int) -> Lock | None:
    # A FIFO would block.
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | create
    while True:
        descriptor = os.open(path, flags, 0o600)
        locked = False
        try:
            found = os.fstat(descriptor)
            if found.st_uid != os.geteuid() or not stat.S_ISREG(found.st_mode):
                return None
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last owner may have removed the file before it was locked.
            with suppress(FileNotFoundError):
                locked = os.path.samestat(found, path.lstat())
            if locked:
                return Lock(path, descriptor)
        except BlockingIOError:
            return None
        finally:
            if not locked:
                os.close(descriptor)
