# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.whole_file import replaced

BUFFER = 1 << 20


class WholeFile:
    """A file that appears under its name once the block ends well, and otherwise never.

    Raises UserError where it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = replaced(path)
        try:
            self.file: BinaryIO = self._place.__enter__().open("wb", buffering=BUFFER)
        except OSError as error:
            raise unwritable(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            try:
                self.file.close()
            except OSError as failure:  # its last bytes could not be written
                kind, error, traceback = type(failure), failure, failure.__traceback__
            self._place.__exit__(kind, error, traceback)
        except OSError as failure:
            raise unwritable(self.path, failure) from failure


def unwritable(path: Path, error: OSError) -> UserError:
    """Return the error for a file that cannot be written."""
    return failed_write(path, error, "name a file that can be written")
