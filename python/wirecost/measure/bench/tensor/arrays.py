# SPDX-License-Identifier: Apache-2.0
"""Content of messages: an array with the message's number in it, which shows a stale one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGITS = 4
BASE = 100
"""Base of the digits of a message's number, one in each of its first elements, in any type."""
VARIANTS = 8
"""Number of arrays that random content takes in turns."""
SEED = 997

PAGE_BYTES = 4096
Array = NDArray[Any]


class Marks:
    """Elements that differ from message to message, one in each page of an array.

    Their places and values follow from a seed that no contender gets, drawn for each block. The
    content of a message therefore follows neither from the one before nor from its number. They are
    in a flat array of ``size`` elements behind the first ``start``; values below ``base``.
    """

    def __init__(self, size: int, itemsize: int, start: int, base: int) -> None:
        per_page = max(1, PAGE_BYTES // itemsize)
        self._starts = np.arange(start, size, per_page)
        self._room = np.minimum(per_page, size - self._starts)
        self._base = base
        self._undo: list[tuple[Array, Array, Array]] = []

    def set(self, flat: Array, number: int, seed: int) -> None:
        """Set the marks, and take back those that were set before."""
        self.clear()
        mixed = self._starts * 7919 + (number % (1 << 20)) * 104_729 + seed
        places = self._starts + mixed % self._room
        self._undo.append((flat, places, flat[places]))
        flat[places] = mixed // 64 % self._base

    def clear(self) -> None:
        while self._undo:
            flat, places, former = self._undo.pop()
            flat[places] = former


def raw_bytes(array: Array) -> memoryview:
    """Return the memory of an array without gaps."""
    flat: Any = array.reshape(-1)
    return memoryview(flat).cast("B")


class ArraySource:
    """Source of arrays of one shape and type.

    They are ones but for their first four elements, which hold the message's number; or random with
    the same corner. Marked ones differ in every page besides, as ``seed`` has it.
    """

    seed = 0

    def __init__(self, shape: tuple[int, ...], dtype: str, content: str) -> None:
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self._arrays = self._made(content)
        first = self._arrays[0]
        self._marks = Marks(first.size, first.itemsize, DIGITS, BASE)

    def _made(self, content: str) -> list[Array]:
        if content == "ones":
            return [np.ones(self.shape, self.dtype)]
        random = np.random.default_rng(SEED)
        # Below the base all types hold them; whole numbers also where there are fractions, so that
        # no conversion between the ends can hide behind rounding.
        return [random.integers(0, BASE, self.shape).astype(self.dtype) for _ in range(VARIANTS)]

    def _sign(self, array: Array, number: int) -> None:
        """Write the message's number into an array."""
        corner = array.reshape(-1)[:DIGITS]
        for place in range(len(corner)):
            corner[place] = number // BASE**place % BASE

    def number_in(self, array: Array, expected: int) -> int:
        """Return the number in a received array, nearest to ``expected``."""
        corner = array.reshape(-1)[:DIGITS]
        number = sum(round(float(value.real)) * BASE**place for place, value in enumerate(corner))
        return nearest(number, BASE ** len(corner), expected)

    @property
    def nbytes(self) -> int:
        return self._arrays[0].nbytes

    def array(self, number: int, marked: bool = False) -> Array:
        """Return the content of that message; valid until the next call."""
        array = self._arrays[number % len(self._arrays)]
        flat = array.reshape(-1)
        if marked:
            self._marks.set(flat, number, self.seed)
        else:
            self._marks.clear()
        self._sign(array, number)
        return array

    def from_bytes(self, memory: memoryview) -> Array:
        """Return the bytes at the start of ``memory`` as an array of this shape and type."""
        count = math.prod(self.shape)
        return np.frombuffer(memory, self.dtype, count).reshape(self.shape)

    def difference(
        self, array: Array, number: int, marked: bool = False, tolerance: float = 0.0
    ) -> str | None:
        """Return how a received array differs from that message's content, in words.

        ``tolerance``: the most that the elements of a page may differ by on average, where
        compression was lossy.
        """
        if array.dtype != self.dtype or array.shape != self.shape:
            return f"{array.shape} {array.dtype} arrived, {self.shape} {self.dtype} was sent"
        expected = self.array(number, marked)
        if tolerance:
            return self._too_far(array, expected, number, tolerance)
        if np.array_equal(array, expected):
            return None
        places = np.flatnonzero((array != expected).reshape(-1))
        first = places[0]
        return (
            f"message {number} differs in {len(places)} of {array.size} elements: element {first} "
            f"is {array.reshape(-1)[first]}, {expected.reshape(-1)[first]} was sent"
        )

    def _too_far(self, array: Array, expected: Array, number: int, tolerance: float) -> str | None:
        if (other := self.number_in(array, number)) != number:
            return f"message {number} holds message {other}'s content"
        far = np.abs(array.astype(np.float32) - expected).reshape(-1)
        starts = np.arange(0, far.size, max(1, PAGE_BYTES // array.itemsize))
        sizes = np.diff(starts, append=far.size)
        means = np.add.reduceat(far, starts) / sizes
        worst = int(means.argmax())
        if means[worst] <= tolerance:
            return None
        return (
            f"message {number} differs by {means[worst]:.1f} on average from element "
            f"{starts[worst]} on, {tolerance:g} is allowed"
        )


def nearest(number: int, span: int, expected: int) -> int:
    """Return the integer nearest to ``expected`` that is ``number`` modulo ``span``."""
    return expected + (number - expected + span // 2) % span - span // 2
