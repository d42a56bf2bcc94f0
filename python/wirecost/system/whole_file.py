# SPDX-License-Identifier: Apache-2.0
"""Files that have no name until they are whole: whatever ends the process, nothing half-written
stays.

Where the file system knows no file without a name, as NFS, one that the process can still remove.
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
    """Where to write what takes the place of ``path`` once the context ends well. Raises OSError
    that has ``path``. ``unnamed``: a descriptor may be spent on it. A device or a pipe is written
    into: it has no content to keep, and for root it would be gone."""
    try:
        if _is_special(path):
            yield path
            return
        with _replaced(path, unnamed) as made:
            yield made
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _is_special(path: Path) -> bool:
    return path.is_char_device() or path.is_fifo()


@contextmanager
def _replaced(path: Path, unnamed: bool) -> Iterator[Path]:
    """With the permissions of what was there."""
    file = _unnamed(path.parent) if unnamed else None
    named = path.with_name(f".{path.name}.{os.getpid()}.new")
    made = named if file is None else OPEN_FILES / str(file)
    try:
        yield made
        if path.is_file() and not path.is_symlink():
            made.chmod(stat.S_IMODE(path.stat().st_mode))
        if file is None:
            made.replace(path)
        else:
            _name(made, path)
    finally:
        if file is not None:
            os.close(file)
        else:
            with suppress(OSError):
                made.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """As UTF-8, in the place of what was there. Raises OSError."""
    with replaced(path) as made:
        made.write_text(text, encoding="utf-8")


def copy_files(source: Path, folder: Path) -> None:
    """The files of ``source`` in a new folder. Raises OSError that has the name of the copy."""
    folder.mkdir(parents=True)
    for file in filter(Path.is_file, source.iterdir()):
        with replaced(folder / file.name) as made:
            shutil.copyfile(file, made)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """A folder that is gone again, with those above it, where nothing could be written into it.
    Raises OSError."""
    made = missing_folders(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        remove_empty(made)
        raise


def missing_folders(folder: Path) -> list[Path]:
    """Those that are to be made so that there is this one, the deepest first."""
    return list(takewhile(lambda one: not os.path.exists(one), (folder, *folder.parents)))  # noqa: PTH110 - never raises


def remove_empty(folders: Iterable[Path]) -> None:
    """Of the folders, in their order, those in which nothing is."""
    for one in folders:
        with suppress(OSError):
            one.rmdir()


def check_room(folder: Path) -> None:
    """Raises OSError that has ``folder`` where not even a page can be written into it. Leaves
    nothing."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(PAGE))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from error


def _unnamed(folder: Path) -> int | None:
    """A new file of that folder's file system, if that can be."""
    if not OPEN_FILES.is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError:
        return None


def _name(made: Path, path: Path) -> None:
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Only with a folder does Python ask for the file behind the link.
        with suppress(FileExistsError):
            os.link(made, path, src_dir_fd=folder)
            return
        other = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
        os.link(made, other, src_dir_fd=folder)
        try:
            other.replace(path)
        except OSError:
            other.unlink()
            raise
    finally:
        os.close(folder)
