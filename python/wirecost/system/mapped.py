# SPDX-License-Identifier: Apache-2.0
"""Files that are mapped into memory for reading."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from wirecost.system.errors import UserError
from wirecost.system.progress import Progress
from wirecost.system.regular_file import open_regular

RELEASED = 16 << 20
"""Once so many bytes of a mapped file were read, their pages are given back."""


class Mapped:
    """A file in memory, read-only, without reading it: pages come and go with their use.

    Raises UserError on what cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        try:
            with open_regular(path) as file:
                self.stat = os.fstat(file.fileno())
                self.size = self.stat.st_size
                # An empty file cannot be mapped.
                self._map = (
                    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self.size else None
                )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UserError(f"{path}: {reason}; name a readable trace file") from error
        self.view = memoryview(self._map if self._map is not None else b"")
        self._read = 0

    def note_read(self, size: int) -> None:
        """Note that ``size`` more bytes were read in order, and release pages before them.

        Views stay valid: the kernel reads released pages again.
        """
        self._read += size
        if self._read >= RELEASED and self._map is not None:
            self._read = 0
            self._map.madvise(mmap.MADV_DONTNEED)

    def noting(self, progress: Progress) -> Progress:
        """Return the same progress of reading the file from front to back, in bytes."""
        last = 0

        def advance(done: int, total: int, text: str) -> None:
            nonlocal last
            self.note_read(max(done - last, 0))
            last = done
            progress(done, total, text)

        return advance

    def close(self) -> None:
        """Close the file; frames that are still held keep the mapping alive."""
        self.view = memoryview(b"")
        self._map = None
