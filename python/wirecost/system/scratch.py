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
"""In the environment of a run's processes: the run's folder."""
IN_MEMORY = Path("/dev/shm")
REMEDY = "set TMPDIR to a folder that you can write"
END_S = 2.0
"""How long processes may take to end that were killed."""
LOCK = ".lock"


@contextmanager
def run() -> Iterator[None]:
    """Everything that a command measures happens within: removes what dead runs of this user left,
    and at the end what is left of this one, processes too. Raises UserError.

    Within another run, of this process or of the one that started it, it does nothing.
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
    """An empty folder for as long as the context lasts. Raises UserError."""
    made = make(name, in_memory)
    try:
        yield made
    finally:
        remove(made)


def make(name: str, in_memory: bool = False) -> Path:
    """An empty folder whose name begins so, until ``remove`` or the end of the run. ``in_memory``:
    in /dev/shm where that can be written. Raises UserError."""
    if in_memory and os.access(IN_MEMORY, os.W_OK):
        parent = _own(_parent(IN_MEMORY)).folder
    else:
        parent = _inherited() or _own(_parent()).folder
    try:
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
    except OSError as error:
        raise UserError(f"{parent}: {error.strerror}; {REMEDY}") from error


def remove(made: Path) -> None:
    """Takes a folder of ``make`` away with all that is in it."""
    shutil.rmtree(made, ignore_errors=True)


def sweep() -> None:
    """Removes what dead runs of this user left on this machine: processes, folders and files in
    shared memory. Never another user's, never a living run's. Raises UserError."""
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
    """Where the runs' folders are."""
    try:
        base = root or _temporary()
    except OSError as error:
        raise UserError(f"{error.strerror}; {REMEDY}") from error
    return private_folder(private_folder(base / f"wirecost-{os.getuid()}") / "runs", REMEDY)


def _temporary() -> Path:
    """``tempfile.gettempdir()``, which would write a file to find out: one that a kill leaves."""
    if tempfile.tempdir is None:
        named = [os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
        for folder in filter(None, (*named, "/tmp", "/var/tmp")):
            if Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK):
                tempfile.tempdir = str(Path(folder).absolute())
                break
    return Path(tempfile.gettempdir())


def _inherited() -> Path | None:
    """The folder of the run that this process is a part of."""
    named = os.environ.get(RUN)
    if not named:
        return None
    found = Path(named)
    return found if found.parent == _parent() and found.is_dir() else None


def _own(parent: Path) -> _Own:
    with _making:
        found = _mine.get(parent)
        if found is not None and found.process == os.getpid() and found.folder.is_dir():
            return found
        if not _mine:
            sweep()
            atexit.register(_leave)
        made = parent / f"{os.getpid()}-{secrets.token_hex(3)}"
        try:
            lock = claim(_lock_of(made))
            if lock is None:  # of a fresh name
                raise UserError(f"{_lock_of(made)}: held by another process; end that process")
            try:
                made.mkdir(0o700)
            except OSError:
                lock.release()
                raise
        except OSError as error:
            raise UserError(f"{parent}: {error.strerror}; {REMEDY}") from error
        _mine[parent] = _Own(made, lock, os.getpid())
        return _mine[parent]


def _leave() -> None:
    """Removes this process's folders; not those of the process that it was forked from."""
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
    """The folder first: without the lock file nobody would come back for it."""
    left = _folder_of(lock)
    shutil.rmtree(left, ignore_errors=True)
    with suppress(OSError):
        lock.release(remove=not left.exists())


def _end_processes(of_run: Callable[[Path], bool]) -> None:
    """Kills this user's processes whose environment names a run for which ``of_run`` holds."""
    ended = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with suppress(OSError):
            # Taken first: what is read below is of the process that is killed.
            process = os.pidfd_open(int(entry.name))
            try:
                if (named := _run_of(Path(entry.path))) and of_run(named):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                    ended.append(os.dup(process))
            finally:
                os.close(process)
    wait_for_ends(ended, END_S)


def _run_of(process: Path) -> Path | None:
    """The folder of the run that a process of this user is a part of."""
    if process.stat().st_uid != os.geteuid():
        return None
    for variable in (process / "environ").read_bytes().split(b"\0"):
        name, _, value = variable.partition(b"=")
        if name == RUN.encode():
            found = Path(os.fsdecode(value))
            return found if _sees(process, found.parent) else None
    return None


def _sees(process: Path, parent: Path) -> bool:
    """Whether the folder is the same for a process as for this one: in a container, or under
    another root, it is another with the same name, and its runs are others."""
    return parent.samefile(process / "root" / str(parent).lstrip("/"))
