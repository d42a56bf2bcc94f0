# SPDX-License-Identifier: Apache-2.0
"""Chunks of Zarr arrays that are cut out of received memory when somebody reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, MutableMapping
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load

_COPIES = 4
"""Copies of a document as text, until Zarr has read it."""


class Chunks:
    """An array in pieces of one shape; those at its ends reach beyond it."""

    def __init__(self, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
        self._array = array
        self._stored = array.dtype.newbyteorder("<")
        self._shape = shape
        self._counts = [-(-size // n) for size, n in zip(array.shape, shape, strict=True)]
        self.count = prod(self._counts)

    def __iter__(self) -> Iterator[str]:
        """Yield keys, below the array's own."""
        for place in product(*map(range, self._counts)):
            yield _key(place)

    def bytes_of(self, key: str) -> npt.NDArray[np.uint8]:
        """Return a chunk's bytes; zeros beyond the array. Raises KeyError."""
        numbers = key.split("/")[1:]
        try:
            place = [range(count)[int(n)] for n, count in zip(numbers, self._counts, strict=True)]
        except (ValueError, IndexError) as error:
            raise KeyError(key) from error
        if _key(place) != key:
            raise KeyError(key)
        part = self._array[
            tuple(slice(i * n, (i + 1) * n) for i, n in zip(place, self._shape, strict=True))
        ]
        if part.shape != self._shape:
            whole = np.zeros(self._shape, self._stored)
            whole[tuple(map(slice, part.shape))] = part
            part = whole
        return np.ascontiguousarray(part, self._stored).reshape(-1).view(np.uint8)


def _key(place: Iterable[int]) -> str:
    return "/".join(("c", *map(str, place)))


class Tree(MutableMapping[str, Any]):
    """Content of a ``MemoryStore`` of Zarr's.

    That is documents, chunks that were written since, and those of the arrays that came.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, Chunks] = {}
        """Arrays by the beginnings of their keys."""
        self._written: dict[str, object] = {}

    def document(self, key: str, content: dict[str, object], budget: Budget) -> None:
        """Raise TypeError for what JSON has no form for, FrameError where it takes too much."""
        written = json.dumps(content)
        budget.take("its document", _COPIES * len(written))
        self._written[key] = load("zarr.buffer").cpu.Buffer.from_bytes(written.encode())

    def put(self, name: str, below: Tree) -> None:
        """Put another tree in, under a name without slashes."""
        for key, value in below._written.items():
            self._written[f"{name}/{key}"] = value
        for key, chunks in below.arrays.items():
            self.arrays[f"{name}/{key}"] = chunks

    def __getitem__(self, key: str) -> Any:
        if key in self._written:
            chunk = self._written[key]
            if chunk is None:
                raise KeyError(key)
            return chunk
        for start, chunks in self.arrays.items():
            if key.startswith(start):
                try:
                    content = chunks.bytes_of(key.removeprefix(start))
                except KeyError:
                    continue
                return load("zarr.buffer").cpu.Buffer.from_array_like(content)
        raise KeyError(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._written[key] = value

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self._written[key] = None

    def __iter__(self) -> Iterator[str]:
        yield from (key for key, value in self._written.items() if value is not None)
        for start, chunks in self.arrays.items():
            for key in chunks:
                if start + key not in self._written:
                    yield start + key

    def __len__(self) -> int:
        return sum(1 for _ in self)
