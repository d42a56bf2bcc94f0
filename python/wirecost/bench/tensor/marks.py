# SPDX-License-Identifier: Apache-2.0
"""Elements that differ from message to message, one in each page of an array.

Their places and values follow from a seed that no contender is given, drawn for each block. So what
one message holds follows neither from the one before nor from its number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PAGE_BYTES = 4096


class Marks:
    """In a flat array of ``size`` elements behind the first ``left``; values below ``base``."""

    def __init__(self, size: int, itemsize: int, left: int, base: int) -> None:
        per_page = max(1, PAGE_BYTES // itemsize)
        self._starts = np.arange(left, size, per_page)
        self._room = np.minimum(per_page, size - self._starts)
        self._base = base
        self._undo: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []

    def set(self, flat: NDArray[Any], number: int, seed: int) -> None:
        """Also takes back those that were set before."""
        self.clear()
        mixed = self._starts * 7919 + (number % (1 << 20)) * 104_729 + seed
        places = self._starts + mixed % self._room
        self._undo.append((flat, places, flat[places]))
        flat[places] = mixed // 64 % self._base

    def clear(self) -> None:
        while self._undo:
            flat, places, former = self._undo.pop()
            flat[places] = former
