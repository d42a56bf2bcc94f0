# SPDX-License-Identifier: Apache-2.0
"""The one way to /proc and /sys, below a root folder, so that recorded trees can stand in."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

CHUNK = 1 << 16
"""The kernel refuses reads of more than it can allocate at once."""
MOST_BYTES = 16 << 20
"""More than /proc/interrupts takes on the largest machines; nothing beyond is read."""


class System:
    """Kernel files below ``root``; paths are given without a leading slash."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def text(self, path: str) -> str | None:
        """The file's text without surrounding white space; None where it cannot be read."""
        data = self._bytes(path)
        return None if data is None else data.decode("utf-8", "replace").strip()

    def unzipped(self, path: str) -> str | None:
        """The text in a gzip file; None where it cannot be read or is damaged."""
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
        """The value in force: the word in brackets where the file lists all, else its text."""
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

    def write(self, path: str, value: str) -> None:
        """Write a value to a file that exists. Raises OSError."""
        file = os.open(self.root / path, os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(file, value.encode())
        finally:
            os.close(file)

    def _bytes(self, path: str) -> bytes | None:
        try:
            with (self.root / path).open("rb", buffering=0) as file:
                data = bytearray()
                while len(data) < MOST_BYTES and (part := file.read(CHUNK)):
                    data += part
                return bytes(data)
        except (OSError, ValueError):
            return None


def whole(text: str | None) -> int | None:
    """A decimal number of at most 18 digits, or None."""
    text = (text or "").strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        return None
    return int(text)
