# SPDX-License-Identifier: Apache-2.0
"""Which folders and outputs a conversion makes, so that nothing empty is left behind it."""

from __future__ import annotations

from pathlib import Path

from wirecost.whole_file import missing_folders, remove_empty


class Made:
    """Empty at first."""

    def __init__(self) -> None:
        self._missing: set[Path] = set()
        self._before: dict[Path, tuple[int, ...] | None] = {}

    def begin(self, folder: Path, output: Path | None = None) -> None:
        """From here on ``folder`` may come to be there, and ``output`` in it."""
        self._missing.update(missing_folders(folder))
        if output is not None:
            self._before[output] = _state(output)

    def no_output(self) -> bool:
        """Whether all outputs are as they were before."""
        return all(_state(output) == before for output, before in self._before.items())

    def remove_empty(self) -> None:
        """Of the folders that were not there before."""
        remove_empty(sorted(self._missing, key=lambda folder: -len(folder.parts)))


def _state(path: Path) -> tuple[int, ...] | None:
    """None where nothing is there."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
