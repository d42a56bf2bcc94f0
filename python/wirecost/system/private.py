# SPDX-License-Identifier: Apache-2.0
"""Folders and files that only this user can have written, checked and not assumed.

What lies in a folder is as trustworthy as whoever can write the folder, or can put another one in
its place: so its owner, its mode and everything above it are looked at.
"""

from __future__ import annotations

import os
import pwd
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from wirecost.system.errors import UserError

MOST_LINKS = 40
"""Number of links that Linux follows in one path."""
ROOT = 0
ROOTS_STATE = Path("/var/lib/wirecost")


def state_folder() -> Path:
    """Make and check the folder of this user's state, and return it. Raises UserError.

    ``WIRECOST_STATE``, else ``$XDG_STATE_HOME/wirecost``, else ``~/.local/state/wirecost``. Root's
    depends on neither HOME nor XDG_STATE_HOME: sudo may leave them another user's.
    """
    return private_folder(state_path(), "set WIRECOST_STATE to a folder of your own")


def state_path() -> Path:
    """Return the folder of this user's state, neither made nor checked."""
    chosen = os.environ.get("WIRECOST_STATE")
    if chosen:
        return Path(chosen).absolute()
    return ROOTS_STATE if os.geteuid() == ROOT else users_state_path()


def users_state_path() -> Path:
    """Return the folder by the XDG specification, which ignores paths that are not absolute."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return Path(base if base.startswith("/") else home() / ".local" / "state") / "wirecost"


def home() -> Path:
    """Return this user's home folder, by HOME or else by the system's list of users."""
    named = os.environ.get("HOME", "")
    if named.startswith("/"):
        return Path(named)
    try:
        return Path(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        return Path("/nonexistent")


def runtime_path() -> Path:
    """Return where this user's processes on this machine meet, neither made nor checked.

    It is ``$XDG_RUNTIME_DIR/wirecost``, or without that variable a folder below /tmp.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime).absolute() / "wirecost" if runtime else below_tmp()


def below_tmp() -> Path:
    """Return a folder for this user, neither made nor checked."""
    return Path(f"/tmp/wirecost-{os.getuid()}")


def private_folder(path: Path, remedy: str = "name a folder of your own") -> Path:
    """Make the folder with mode 700, or check it, and return its absolute path.

    It must be this user's, and nobody else may write or replace it; if others can only read it,
    they are shut out. Raises UserError with one line: the path, what is wrong with it, and the
    remedy.
    """
    path = path.absolute()
    try:
        _make(path)
        check_way(path.parent)
        file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            trouble = _trouble(os.fstat(file))
            if trouble is None:
                os.fchmod(file, 0o700)
        finally:
            os.close(file)
    except NotADirectoryError as error:
        # A link at its place ends here, too.
        raise UserError(f"{path}: not a folder; remove it, or {remedy}") from error
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; {remedy}") from error
    except (ExposedError, ValueError) as error:
        raise UserError(f"{path}: {error}; {remedy}") from error
    if trouble is not None:
        raise UserError(f"{path}: {trouble}; remove it, or {remedy}")
    return path


def read_private(path: Path, most: int) -> bytes | None:
    """Read a file; None where there is none.

    Raises UserError where another user may have written it, or it holds more than ``most`` bytes.
    """
    path = path.absolute()
    try:
        check_way(path.parent)
        # A FIFO would block.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; make it a file of your own") from error
    except (ExposedError, ValueError) as error:
        raise UserError(f"{path}: {error}; remove it") from error
    try:
        status = os.fstat(file)
        trouble = _trouble(status) if stat.S_ISREG(status.st_mode) else "no regular file"
        if trouble is None and status.st_nlink != 1:
            trouble = "has another name elsewhere"
        if trouble is None and status.st_size > most:
            trouble = f"holds more than {most} bytes"
        if trouble is not None:
            raise UserError(f"{path}: {trouble}; remove it")
        return _content(file, status.st_size)
    finally:
        os.close(file)


def _content(file: int, size: int) -> bytes:
    with os.fdopen(file, "rb", closefd=False) as opened:
        return opened.read(size)


def write_private(path: Path, content: bytes) -> None:
    """Replace a file of a private folder as a whole, mode 600, on disk before this returns.

    Raises OSError.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(partial, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


class ExposedError(Exception):
    """Another user could put something else at a path."""


def check_way(path: Path) -> None:
    """Check that only root and this user can put something else at an absolute path.

    Links are followed. A folder that a group may write is its owner's decision; one that everybody
    may write is accepted with the sticky bit only, as /tmp. Raises ExposedError, OSError.
    """
    trusted = {ROOT, os.geteuid()}
    for place, status in _steps(path):
        if status.st_uid not in trusted:
            raise ExposedError(f"{place} belongs to another user")
        if stat.S_ISLNK(status.st_mode):
            continue
        if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
            raise ExposedError(f"everybody can write {place}")


def _steps(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield all folders and links that the kernel passes to reach a path."""
    place, parts, links = Path("/"), list(path.parts[1:]), 0
    yield place, place.lstat()
    while parts:
        name = parts.pop(0)
        if name == "..":
            place = place.parent
            continue
        status = (place / name).lstat()
        yield place / name, status
        if not stat.S_ISLNK(status.st_mode):
            place /= name
            continue
        links += 1
        if links > MOST_LINKS:
            raise ExposedError("too many links")
        target = Path(os.readlink(place / name))  # noqa: PTH115 - keeps ".." as it is
        if target.is_absolute():
            place, target = Path("/"), target.relative_to("/")
        parts = [*target.parts, *parts]


def _make(path: Path) -> None:
    """Make the folder and what is missing above it, for this user alone."""
    missing = [path]
    while not os.path.lexists(missing[-1].parent):
        missing.append(missing[-1].parent)
    check_way(missing[-1].parent)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def _trouble(status: os.stat_result) -> str | None:
    if status.st_uid != os.geteuid():
        return f"belongs to user {status.st_uid}, not to you"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by others"
    return None
