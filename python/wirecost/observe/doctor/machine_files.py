# SPDX-License-Identifier: Apache-2.0
"""All access to /proc and /sys, below a root folder, so that recorded trees can stand in."""

from __future__ import annotations

import ctypes
import errno
import os
import zlib
from pathlib import Path

CHUNK = 1 << 16
"""The kernel refuses reads of more than it can allocate at once."""
MOST_BYTES = 16 << 20
"""More than /proc/interrupts takes on the largest machines; nothing beyond is read."""
REAL_ROOT = Path("/")
KERNEL_FILE_SYSTEMS = {0x9FA0, 0x62656572}
"""procfs and sysfs, statfs(2)."""
FOLDER_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without blocking, as a FIFO in a tree that stands in would.
FILE_FLAGS = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class System:
    """Kernel files below ``root``; paths are given without a leading slash."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def text(self, path: str) -> str | None:
        """Return the file's text without surrounding white space; None where it cannot be read."""
        data = self._bytes(path)
        return None if data is None else data.decode("utf-8", "replace").strip()

    def unzipped(self, path: str) -> str | None:
        """Return the text in a gzip file; None where it cannot be read or is damaged."""
        data = self._bytes(path)
        if data is None:
            return None
        try:
            plain = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, MOST_BYTES)
        except zlib.error:
            return None
        return plain.decode("utf-8", "replace")

    def number(self, path: str) -> int | None:
        return whole(self.text(path))

    def choice(self, path: str) -> str | None:
        """Return the value in force: the word in brackets where a file lists all, else its text."""
        text = self.text(path)
        if text is None:
            return None
        chosen = [word[1:-1] for word in text.split() if word[:1] == "[" and word[-1:] == "]"]
        return chosen[0] if chosen else text

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder; none where it cannot be read."""
        try:
            return sorted(os.listdir(self.root / folder))  # noqa: PTH208
        except (OSError, ValueError):
            return []

    def exists(self, path: str) -> bool:
        try:
            return (self.root / path).exists()
        except (OSError, ValueError):
            return False

    def writable(self, path: str) -> bool:
        return os.access(self.root / path, os.W_OK)

    def real(self, path: str) -> str:
        """Return the path without links, as the kernel resolves it. Raises OSError."""
        root = self.root.resolve()
        try:
            return str((root / path).resolve(strict=True).relative_to(root))
        except (ValueError, RuntimeError) as error:
            raise PermissionError(errno.EPERM, f"leads out of {root}") from error

    def write(self, path: str, value: str) -> None:
        """Write a value to a file that exists and is the kernel's. Raises OSError.

        No link is followed on the way: ``proc/self/root`` is one, too.
        """
        file = self._open_for_writing(path)
        try:
            if self.root != REAL_ROOT:
                os.ftruncate(file, 0)  # a file of the kernel takes a value as a whole
            elif file_system(file) not in KERNEL_FILE_SYSTEMS:
                raise PermissionError(errno.EPERM, "not a file of the kernel")
            os.write(file, value.encode())
        finally:
            os.close(file)

    def _open_for_writing(self, path: str) -> int:
        *folders, name = path.split("/")
        if not {"", ".", ".."}.isdisjoint((*folders, name)):
            raise PermissionError(errno.EPERM, "not a plain path")
        place = os.open(self.root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for folder in folders:
                inside = os.open(folder, FOLDER_FLAGS, dir_fd=place)
                os.close(place)
                place = inside
            return os.open(name, FILE_FLAGS, dir_fd=place)
        finally:
            os.close(place)

    def _bytes(self, path: str) -> bytes | None:
        try:
            with (self.root / path).open("rb", buffering=0) as file:
                data = bytearray()
                while len(data) < MOST_BYTES and (part := file.read(CHUNK)):
                    data += part
                return bytes(data)
        except (OSError, ValueError):
            return None


def file_system(file: int) -> int:
    """Return the kind of file system an open file is on, by its magic number. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    statfs = (ctypes.c_long * 64)()  # more than struct statfs; its first word is the kind
    if libc.fstatfs(file, statfs) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return statfs[0] & 0xFFFFFFFF


def whole(text: str | None) -> int | None:
    """Return a decimal number of at most 18 digits, or None."""
    text = (text or "").strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        return None
    return int(text)
