# SPDX-License-Identifier: Apache-2.0
"""Files that a user named, opened only if they are regular.

A FIFO would be waited for as long as nobody writes it, and a device may do anything once it is
opened. Where a repository was cloned without Git LFS, a short text stands for each large file.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

CHUNK = 1 << 20
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def open_regular(path: Path) -> BinaryIO:
    """Open a file to be read.

    Raises OSError, also for what is no regular file and for a pointer of Git LFS.
    """
    _check(path, path.stat().st_mode)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        # The file may have been replaced since.
        _check(path, os.fstat(descriptor).st_mode)
        if os.pread(descriptor, len(LFS_POINTER), 0) == LFS_POINTER:
            reason = "only Git LFS's pointer to the file is here, run `git lfs pull`"
            raise OSError(errno.EINVAL, reason, str(path))
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def read_regular(path: Path, most: int) -> bytes:
    """Read the whole content. Raises OSError, also where it is more than ``most`` bytes."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = b"" if size > most else file.read(size)
        # It may have grown, and files of /proc have no size.
        while len(content) <= most and (more := file.read(CHUNK)):
            content += more
    if max(size, len(content)) > most:
        raise OSError(errno.EFBIG, f"larger than the {most:,} bytes that it may have", str(path))
    return content


def _check(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "no file")
        raise OSError(errno.EINVAL, f"{kind}, not a regular file", str(path))
