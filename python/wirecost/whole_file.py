# SPDX-License-Identifier: Apache-2.0
"""Files that have no name until they are whole: whatever ends the process, nothing half-written
stays.

Where the file system knows no file without a name, as NFS, one that the process can still remove.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OPEN_FILES = Path("/proc/self/fd")


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


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """A folder that is gone again where nothing could be written into it. Raises OSError."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):  # something was
                folder.rmdir()
        raise


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
