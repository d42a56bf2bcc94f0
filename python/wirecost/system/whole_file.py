# SPDX-License-Identifier: Apache-2.0
"""Files without a name until they are whole: nothing half-written stays if the process ends.

Where the file system knows no file without a name, as NFS, it is one that the process can still
remove.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

OPEN_FILES = Path("/proc/self/fd")
PAGE = 4096


@contextmanager
def replaced(path: Path, unnamed: bool = True) -> Iterator[Path]:
    """Yield a path to write, which takes the place of ``path`` once the context ends well.

    ``unnamed``: a descriptor may be spent on it. A device or a pipe is written into: it has no
    content to keep, and for root it would be gone. Raises OSError that has ``path``.
    """
    try:
        if path.is_char_device() or path.is_fifo():
            yield path
            return
        with _replaced(path, unnamed) as new_file:
            yield new_file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def _replaced(path: Path, unnamed: bool) -> Iterator[Path]:
    """Replace a file, and keep the permissions of the former one."""
    file = _unnamed(path.parent) if unnamed else None
    named = path.with_name(f".{path.name}.{os.getpid()}.new")
    new_file = named if file is None else OPEN_FILES / str(file)
    try:
        yield new_file
        if path.is_file() and not path.is_symlink():
            new_file.chmod(stat.S_IMODE(path.stat().st_mode))
        if file is None:
            new_file.replace(path)
        else:
            _name(new_file, path)
    finally:
        if file is not None:
            os.close(file)
        else:
            with suppress(OSError):
                new_file.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8 in the place of what was there. Raises OSError."""
    with replaced(path) as new_file:
        new_file.write_text(text, encoding="utf-8")


def copy_files(source: Path, folder: Path) -> None:
    """Copy the files of ``source`` to a new folder. Raises OSError that has the copy's name."""
    folder.mkdir(parents=True)
    for file in filter(Path.is_file, source.iterdir()):
        with replaced(folder / file.name) as new_file:
            shutil.copyfile(file, new_file)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder, and remove it, with new ones above it, where the context ends badly.

    It is kept if anything is in it. Raises OSError.
    """
    new_folders = missing_folders(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        remove_empty(new_folders)
        raise


def missing_folders(folder: Path) -> list[Path]:
    """Return this folder and those above it that are missing, the deepest first."""
    return list(takewhile(lambda path: not os.path.exists(path), (folder, *folder.parents)))  # noqa: PTH110 - never raises


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of the folders that are empty, in their order."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def check_room(folder: Path) -> None:
    """Raise OSError that has ``folder`` where not even a page can be written; leave nothing."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(PAGE))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from error


def _unnamed(folder: Path) -> int | None:
    """Open a new file without a name in that folder's file system, if that can be."""
    if not OPEN_FILES.is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError:
        return None


def _name(new_file: Path, path: Path) -> None:
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Only with a folder does Python ask for the file behind the link.
        with suppress(FileExistsError):
            os.link(new_file, path, src_dir_fd=folder)
            return
        other = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
        os.link(new_file, other, src_dir_fd=folder)
        try:
            other.replace(path)
        except OSError:
            other.unlink()
            raise
    finally:
        os.close(folder)
