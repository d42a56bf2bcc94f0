# SPDX-License-Identifier: Apache-2.0
"""Room in shared memory.

Its files are sparse: they take their memory when they are first written, and a process that writes
where none is left dies of SIGBUS. So room is looked for before, and taken at once.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from wirecost.system.errors import UserError

FOLDER = Path("/dev/shm")
ENDPOINT_BYTES = 1 << 21
"""Bytes that a library's bookkeeping for one more endpoint may take, with some to spare."""

_POPULATE_WRITE = 23
"""Advice of madvise since Linux 5.14: memory that it cannot allocate is an error and no signal."""
_REMOVE = 9
"""Advice of madvise: frees the memory of a file behind mapped addresses."""
_madvise = ctypes.CDLL(None, use_errno=True).madvise
_madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_PUNCH_HOLE = 3
"""Mode of fallocate, which keeps the file's size."""
_fallocate = ctypes.CDLL(None).fallocate
_fallocate.argtypes = ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64


class Mapping(NamedTuple):
    """A file of shared memory in this process."""

    start: int
    end: int
    writable: bool
    path: Path


def room() -> int | None:
    """Return bytes left; None where there is no limit."""
    there = os.statvfs(FOLDER)
    return there.f_bavail * there.f_frsize if there.f_blocks else None


def check_room(nbytes: int, what: str) -> None:
    """Raise UserError where less than ``nbytes`` are left for ``what``."""
    bytes_left = room()
    if bytes_left is not None and bytes_left < nbytes:
        raise UserError(_full(f"has {bytes_left} bytes left and {what} needs {nbytes}"))


def reserve(start: int, nbytes: int, what: str) -> None:
    """Take the memory behind mapped addresses. Raises UserError where there is not enough."""
    begin = start & -mmap.PAGESIZE
    if _madvise(begin, start + nbytes - begin, _POPULATE_WRITE) == 0:
        return
    if ctypes.get_errno() == errno.EFAULT:  # the signal it would have been
        raise UserError(_full(f"has less than the {nbytes} bytes left that {what} needs"))
    if ctypes.get_errno() == errno.EINVAL:  # an older kernel
        check_room(nbytes, what)


def _full(why: str) -> str:
    return (
        f"{FOLDER} {why}: end programs that use it, or make it larger (mount -o remount,size=…, or"
        " a container's --shm-size)"
    )


def give_back(start: int, nbytes: int) -> None:
    """Free the memory of whole pages behind mapped addresses; what was in it is gone for all."""
    begin = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (start + nbytes) & -mmap.PAGESIZE
    if begin < end:
        _madvise(begin, end - begin, _REMOVE)


def free_memory(path: Path) -> None:
    """Free the memory of a file, which stays as large as it is.

    Its content is gone for all. Does nothing where there is no such file.
    """
    with suppress(OSError):
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _fallocate(file, _PUNCH_HOLE, 0, os.fstat(file).st_size)
        finally:
            os.close(file)


def reserve_files(wanted: Callable[[str], bool], what: str) -> None:
    """Take the memory of the files of these names that this process has mapped."""
    for mapping in mappings(wanted):
        if mapping.writable:
            reserve(mapping.start, mapping.end - mapping.start, what)


def mappings(wanted: Callable[[str], bool]) -> Iterator[Mapping]:
    """Yield this process's files of shared memory with names that are wanted."""
    start = f"{FOLDER}/"
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        at = line.find(start)
        if at >= 0 and wanted(line[at + len(start) :]):
            first, last = line.split(" ", 1)[0].split("-")
            writable = line.split(" ", 2)[1][1] == "w"
            yield Mapping(int(first, 16), int(last, 16), writable, Path(line[at:]))
