# SPDX-License-Identifier: Apache-2.0
"""Received Arrow messages as Arrow reads them: private copies of their metadata, and bodies where
they lie.

A peer that shares the memory may change it at any time. Arrow reads metadata several times, also
after it was checked; so it gets the bytes that were checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wirecost.tensor.packages import load

Piece = bytes | memoryview
_NOTHING = memoryview(b"")


def opened(pieces: Iterable[Piece]) -> Any:
    """A file of Arrow's that reads these in order and copies none of them.

    ``pieces``: Arrow reads a message's beginning, its metadata and its body each at once, and so
    none of these may lie in two of them.
    """
    return load("pyarrow").PythonFile(_Source(pieces), "r")


class _Source:
    """What Arrow asks of a file that it reads."""

    __slots__ = ("_at", "_piece", "_pieces")
    closed = False

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._pieces = iter(pieces)
        self._piece: Piece = _NOTHING
        self._at = 0

    def read(self, nbytes: int) -> Piece:
        """At most so many bytes; none at the end."""
        while self._at >= len(self._piece):
            following = next(self._pieces, None)
            if following is None:
                return _NOTHING
            self._piece, self._at = following, 0
        start = self._at
        self._at += nbytes
        return self._piece[start : self._at]
