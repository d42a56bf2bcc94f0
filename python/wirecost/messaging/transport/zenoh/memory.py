# SPDX-License-Identifier: Apache-2.0
"""Zenoh's shared memory: one pool for all publishers of a process, and the files it leaves.

Zenoh keeps each pool of which a process has ever received something mapped until that process ends,
so that a pool for each publisher would fill shared memory.
"""

from __future__ import annotations

import fcntl
import os
import resource
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from wirecost.messaging.transport.shared.shared_memory import (
    FOLDER,
    check_room,
    free_memory,
    mappings,
    reserve,
)
from wirecost.system.errors import UserError

LEAST_BYTES = 1 << 25
_SPARE_BYTES = 1 << 21
"""Bytes for zenoh's notes beside a pool."""
_UNFINISHED_S = 1.0
"""A file that is being made has no lock yet."""
_CAP_IPC_LOCK = 14
_SUFFIX = ".zenoh"
_MARK = stat.S_IRUSR | stat.S_IWUSR | stat.S_ISVTX
"""Mark of a pool's file, by a bit that means nothing else there.

All that is received from it is copied out at once.
"""
_DEAD_S = 2.0
"""Seconds until nothing of a dead process can be in transit any more."""
_dead_since: dict[Path, float] = {}


class Pool:
    """Memory for messages; those sent and not yet received everywhere lie in it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._most: dict[int, int] = {}
        self._nbytes = 0
        self._provider: Any = None
        self._largest = 0
        self._files: list[Path] = []
        self._notes: list[Path] = []

    def room(self, shm: Any, publisher: int, nbytes: int) -> Any:
        """Return a buffer, or None where what is not yet received everywhere takes all.

        ``shm``: zenoh's module. Raises UserError where shared memory is full.
        """
        with self._lock:
            if nbytes > self._most.get(publisher, 0):
                self._most[publisher] = nbytes
                needed_bytes = sum(self._most.values())
                if 4 * needed_bytes > self._nbytes:
                    try:
                        self._make(shm, max(LEAST_BYTES, 8 * needed_bytes))
                    except UserError:
                        del self._most[publisher]
                        raise
            policy = shm.GarbageCollect(shm.JustAlloc(), shm.JustAlloc())
            try:
                return self._provider.alloc(nbytes, policy)
            except Exception:
                return None

    def leave(self, publisher: int) -> None:
        """Say that the publisher needs none any more; the memory is kept for others to come."""
        with self._lock:
            self._most.pop(publisher, None)

    def _make(self, shm: Any, nbytes: int) -> None:
        what = f"zenoh-shm's pool of {nbytes} bytes"
        check_room(nbytes + _SPARE_BYTES, what)
        before = {mapping.path for mapping in mappings(_is_zenohs)}
        try:
            provider = shm.ShmProvider.default_backend(nbytes)
        except Exception as error:
            sweep()
            raise UserError(f"{what} cannot be made: {one_line(error)}") from error
        files: list[Path] = []
        notes: list[Path] = []
        for mapping in mappings(_is_zenohs):
            if mapping.path not in before:
                reserve(mapping.start, mapping.end - mapping.start, what)
                (files if mapping.end - mapping.start >= nbytes else notes).append(mapping.path)
        self._give_up()
        self._provider, self._nbytes, self._files = provider, nbytes, files
        self._largest = _largest(provider, nbytes)
        if len(notes) == 1:  # else some are of another process, received from just now
            self._notes += notes
        for path in files:
            with suppress(OSError):
                path.chmod(_MARK)

    def end(self) -> None:
        """Give it up, and what zenoh has noted about it, with the process."""
        with self._lock:
            if self._give_up():
                for path in self._notes:
                    free_memory(path)

    def _give_up(self) -> bool:
        """Give the pool up and return whether all was received.

        Then its memory is freed although others keep it mapped.
        """
        provider, self._provider, self._nbytes = self._provider, None, 0
        files, self._files = self._files, []
        if provider is None:
            return False
        provider.garbage_collect()
        unused = _fits(provider, self._largest)
        del provider  # removes the file unless others have it
        for path in files if unused else ():
            free_memory(path)
        return unused

    def is_own(self, path: Path) -> bool:
        """Return whether it is of this process's pool."""
        return path in self._files

    def _forget(self) -> None:
        """Forget it in a forked process, whose parent goes on with it."""
        _PARENTS.append(self._provider)
        self.__init__()  # type: ignore[misc]


def _fits(provider: Any, nbytes: int) -> bool:
    try:
        buffer = provider.alloc(nbytes)
    except Exception:
        return False
    del buffer
    provider.garbage_collect()
    return True


def _largest(provider: Any, nbytes: int) -> int:
    """Return what fits in while nothing else is: the provider's own account of it is always 0."""
    fits, above = 0, nbytes + 1
    while above - fits > 1:
        middle = (fits + above) // 2
        fits, above = (middle, above) if _fits(provider, middle) else (fits, middle)
    return fits


_PARENTS: list[Any] = []
POOL = Pool()
os.register_at_fork(after_in_child=POOL._forget)


def lockable_bytes() -> int | None:
    """Return bytes that a process of this user may lock in memory; None where there is no limit.

    zenoh locks all that it shares.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:") and int(line.split()[1], 16) >> _CAP_IPC_LOCK & 1:
            return None
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    return None if limit == resource.RLIM_INFINITY else limit


def allow_locks() -> None:
    """Allow as many locked bytes as this process may have."""
    most = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (most, most))


def one_line(error: BaseException) -> str:
    """Return Zenoh's reason without the place in its source."""
    return str(error).partition(" at /")[0].split("\n", 1)[0].rstrip()


def sweep() -> int:
    """Remove this user's files that no living process has open, and return how many.

    Zenoh holds a lock of the kernel on each."""
    removed = 0
    for path in FOLDER.glob(f"*{_SUFFIX}"):
        with suppress(OSError):
            file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                status = os.fstat(file)
                age = time.time() - status.st_ctime
                if status.st_uid != os.getuid() or age < _UNFINISHED_S:
                    continue
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
                removed += 1
            finally:
                os.close(file)
    return removed


def free_dead() -> None:
    """Free the pools of killed processes that this one has received from, which zenoh keeps.

    To be called while nothing received waits to be copied.
    """
    now = time.monotonic()
    for number, path in _open_files():
        with suppress(OSError):
            status = path.stat()
            if status.st_mode & 0o7777 != _MARK or POOL.is_own(path):
                continue
            try:
                # Zenoh's own lock, which others have too while one of them lives.
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if now - _dead_since.setdefault(path, now) > _DEAD_S:
                    del _dead_since[path]
                    free_memory(path)
                    path.unlink()
            finally:
                fcntl.flock(number, fcntl.LOCK_SH)


def remove_own() -> None:
    """Remove the files that only this process has open.

    zenoh itself misses some when it ends. To be called when no session is open any more.
    """
    for number, path in _open_files():
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(number), path.stat()):
                path.unlink()


def _open_files() -> Iterator[tuple[int, Path]]:
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            path = entry.readlink()
            if path.parent == FOLDER and _is_zenohs(path.name):
                yield int(entry.name), path


def _is_zenohs(name: str) -> bool:
    return name.endswith(_SUFFIX)
