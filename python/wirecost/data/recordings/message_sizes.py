# SPDX-License-Identifier: Apache-2.0
"""Sizes of a topic's messages, as how many have each: few numbers, however many messages."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

import numpy as np
import numpy.typing as npt

MOST = 1 << 16
"""Sizes that are told apart; of more, the last bits count as ones."""


class MessageSizes:
    """``count``, ``total``: of messages and their bytes; ``largest``: bytes of one."""

    def __init__(self) -> None:
        self.count = self.total = self.largest = 0
        self._counts: Counter[int] = Counter()
        self._rest = 0
        """The bits of a size that are not told apart."""

    def add(self, sizes: npt.NDArray[np.uint64]) -> None:
        """Count messages."""
        values, counts = np.unique(sizes, return_counts=True)
        for size, count in zip(values.tolist(), counts.tolist(), strict=True):
            self.append(size, count)

    def append(self, size: int, count: int = 1) -> None:
        """Count messages of a size."""
        self.count += count
        self.total += count * size
        self.largest = max(self.largest, size)
        self._counts[size | self._rest] += count
        while len(self._counts) > MOST:
            self._rest = 2 * self._rest + 1
            finer, self._counts = self._counts, Counter()
            for value, number in finer.items():
                self._counts[value | self._rest] += number

    @property
    def is_one(self) -> bool:
        """Whether there are messages, all of one size."""
        return bool(self.count) and self.count * self.largest == self.total

    @property
    def median(self) -> int:
        """The mean of the two in the middle, where the number is even."""
        if not self.count:
            return 0
        values = sorted(self._counts)
        ends = list(accumulate(self._counts[value] for value in values))
        middle = np.searchsorted(ends, [(self.count - 1) // 2, self.count // 2], side="right")
        low, high = (min(values[int(at)], self.largest) for at in middle)
        return (low + high) // 2
