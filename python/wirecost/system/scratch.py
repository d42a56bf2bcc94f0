# SPDX-License-Identifier: Apache-2.0
"""Temporary folders that are removed even if their process is killed: by the next one.

A run is what one command does, in as many processes as it likes. Its folder lies in one that only
this user can write, ``$TMPDIR/wirecost-<uid>/runs``, and beside it a lock file (``locks.py``) that
shows whether the run still lives. What is to be in memory lies in ``/dev/shm`` likewise. The run's
processes are known by the folder's path in their environment.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.system.errors import UserError
from wirecost.system.locks import Lock, claim, of_the_dead
from wirecost.system.private import private_folder
from wirecost.system.waiting import wait_for_ends

RUN = "WIRECOST_RUN"
"""Variable of a run's processes: the run's folder."""
IN_MEMORY = Path("/dev/shm")
REMEDY = "set TMPDIR to a folder that you can write"
END_S = 2.0
"""Seconds that killed processes may take to end."""
LOCK = ".lock"


@contextmanager
def run() -> Iterator[None]:
    """Remove what dead runs of this user left, and at the end what is left of this one.

    Everything that a command measures happens within. Processes are ended, too. Within another run,
    of this process or of the one that started it, it does nothing. Raises UserError.
    """
    if _inherited() is not None:
        yield
        return
    folder = _own(_parent()).folder
    os.environ[RUN] = str(folder)
    try:
        yield
    finally:
        del os.environ[RUN]
        _end_processes(lambda named: named == folder)
        _leave()


@contextmanager
def folder(name: str, in_memory: bool = False) -> Iterator[Path]:
    """Make an empty folder for as long as the context lasts. Raises UserError."""
    path = make(name, in_memory)
    try:
        yield path
    finally:
        remove(path)


def make(name: str, in_memory: bool = False) -> Path:
    """Make an empty folder, whose name begins with ``name``, until ``remove`` or the run's end.

    ``in_memory``: in /dev/shm where that can be written. Raises UserError.
    """
    if in_memory and os.access(IN_MEMORY, os.W_OK):
        parent = _own(_parent(IN_MEMORY)).folder
    else:
        parent = _inherited() or _own(_parent()).folder
    try:
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
    except OSError as error:
        raise UserError(f"{parent}: {error.strerror}; {REMEDY}") from error


def remove(path: Path) -> None:
    """Remove a folder of ``make`` with all that is in it."""
    shutil.rmtree(path, ignore_errors=True)


def sweep() -> None:
    """Remove what dead runs of this user left: processes, folders and files in shared memory.

    Nothing of another user or of a living run is touched. Raises UserError.
    """
    parents = [_parent()]
    if os.access(IN_MEMORY, os.W_OK):
        parents.append(_parent(IN_MEMORY))
    locks = (path for parent in parents for path in parent.glob(f"*{LOCK}"))
    dead = [lock for path in locks if (lock := of_the_dead(path))]
    folders = {_folder_of(lock) for lock in dead}
    _end_processes(
        lambda named: (
            named in folders or (named.parent == parents[0] and not _lock_of(named).exists())
        )
    )
    for lock in dead:
        _remove(lock)


@dataclass(frozen=True)
class _Own:
    """This process's folder below a parent."""

    folder: Path
    lock: Lock
    process: int


_mine: dict[Path, _Own] = {}
_making = threading.Lock()


def _parent(root: Path | None = None) -> Path:
    """Return the folder of the runs' folders."""
    try:
        base = root or _temporary()
    except OSError as error:
        raise UserError(f"{error.strerror}; {REMEDY}") from error
    return private_folder(private_folder(base / f"wirecost-{os.getuid()}") / "runs", REMEDY)


def _temporary() -> Path:
    """Return ``tempfile.gettempdir()``, without the file it writes to try: a kill leaves that."""
    if tempfile.tempdir is None:
        named = [os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
        for folder in filter(None, (*named, "/tmp", "/var/tmp")):
            if Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK):
                tempfile.tempdir = str(Path(folder).absolute())
                break
    return Path(tempfile.gettempdir())


def _inherited() -> Path | None:
    """Return the folder of the run that this process is a part of."""
    named = os.environ.get(RUN)
    if not named:
        return None
    path = Path(named)
    return path if path.parent == _parent() and path.is_dir() else None


def _own(parent: Path) -> _Own:
    with _making:
        own = _mine.get(parent)
        if own is not None and own.process == os.getpid() and own.folder.is_dir():
            return own
        if not _mine:
            sweep()
            atexit.register(_leave)
        path = parent / f"{os.getpid()}-{secrets.token_hex(3)}"
        try:
            lock = claim(_lock_of(path))
            if lock is None:  # of a fresh name
                raise UserError(f"{_lock_of(path)}: held by another process; end that process")
            try:
                path.mkdir(0o700)
            except OSError:
                lock.release()
                raise
        except OSError as error:
            raise UserError(f"{parent}: {error.strerror}; {REMEDY}") from error
        _mine[parent] = _Own(path, lock, os.getpid())
        return _mine[parent]


def _leave() -> None:
    """Remove this process's folders; not those of the process that it was forked from."""
    with _making:
        for own in _mine.values():
            if own.process == os.getpid():
                _remove(own.lock)
        _mine.clear()


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + LOCK)


def _folder_of(lock: Lock) -> Path:
    return lock.path.with_name(lock.path.name.removesuffix(LOCK))


def _remove(lock: Lock) -> None:
    """Remove the folder, then its lock file: without that nobody would come back for it."""
    path = _folder_of(lock)
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        lock.release(remove=not path.exists())


def _end_processes(of_run: Callable[[Path], bool]) -> None:
    """Kill this user's processes whose environment names a run for which ``of_run`` holds."""
    ended = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with suppress(OSError):
            # Opened first, so that the process that is read below is the one that is killed.
            process = os.pidfd_open(int(entry.name))
            try:
                if (named := _run_of(Path(entry.path))) and of_run(named):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                    ended.append(os.dup(process))
            finally:
                os.close(process)
    wait_for_ends(ended, END_S)


def _run_of(process: Path) -> Path | None:
    """Return the folder of the run that a process of this user is a part of."""
    if process.stat().st_uid != os.geteuid():
        return None
    for variable in (process / "environ").read_bytes().split(b"\0"):
        name, _, value = variable.partition(b"=")
        if name == RUN.encode():
            path = Path(os.fsdecode(value))
            return path if _sees(process, path.parent) else None
    return None


def _sees(process: Path, parent: Path) -> bool:
    """Return whether the folder is the same for a process as for this one.

    In a container, or under another root, it is another with the same name, and its runs are
    others.
    """
    return parent.samefile(process / "root" / str(parent).lstrip("/"))
