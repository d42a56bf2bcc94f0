# SPDX-License-Identifier: Apache-2.0
"""Received memory: what views lie on, and how they keep its owner alive."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.errors import FrameError, cause
from wirecost.messaging.tensor.layout import ALIGNMENT

_EMPTY = memoryview(b"")
_CASTABLE = frozenset("?bBhHiIlLqQefd")


def bytes_of(segment: Any) -> memoryview:
    """Return the memory of an array without gaps, or of a memoryview, as bytes."""
    if type(segment) is memoryview:
        return segment
    if not segment.nbytes:
        return _EMPTY
    if segment.dtype.char in _CASTABLE and segment.dtype.isnative:
        return memoryview(segment).cast("B")
    return memoryview(segment.reshape(-1).view(np.uint8))


class Pieces:
    """An array whose memory lies in several places, one behind the other in the frame."""

    __slots__ = ("described", "nbytes", "pieces", "shape")

    def __init__(
        self, pieces: list[memoryview], described: str = "|u1", shape: tuple[int, ...] | None = None
    ) -> None:
        """Take views of bytes.

        ``described``: what its elements are on the wire; ``shape``: one dimension of bytes where
        None.
        """
        self.pieces = pieces
        self.nbytes = sum(map(len, pieces))
        self.described = described
        self.shape = (self.nbytes,) if shape is None else shape


# NumPy lets a view refer to its base's base where all are plain arrays, and would so pass over the
# array that holds the owner. It stops at another class: two of them keep the upper one.
class _MemoryLink(np.ndarray[Any, Any]):
    pass


class _Borrowed(np.ndarray[Any, Any]):
    owner: Any


class _Alias:
    """Memory as NumPy may take it for writing, even if the buffer is marked read-only."""

    def __init__(self, held: npt.NDArray[np.uint8]) -> None:
        self.held = held
        address = held.__array_interface__["data"][0]
        self.__array_interface__ = {
            "version": 3,
            "shape": held.shape,
            "typestr": "|u1",
            "data": (address, False),
        }


class Memory:
    """A received buffer, kept alive with its owner by every array that is made from it."""

    __slots__ = ("_alias", "bytes")

    def __init__(self, buffer: Any, writable: bool, owner: Any) -> None:
        """Check that it can be written where it shall be. Raises FrameError."""
        view = memoryview(buffer)
        if not writable:
            view = view.toreadonly()
        elif view.readonly:
            raise FrameError("frame: its memory cannot be written; decode with copy=True")
        whole: npt.NDArray[np.uint8] = np.frombuffer(view, np.uint8)
        if owner is not None:
            borrowed = whole.view(_MemoryLink).view(_Borrowed)
            borrowed.owner = owner
            whole = borrowed
        self.bytes = whole
        self._alias: npt.NDArray[np.uint8] | None = None

    def array(self, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return a view, the last index varying fastest.

        Raises FrameError for a shape that NumPy cannot have.
        """
        return _view(shape, dtype, self.bytes, offset)

    def writable_array(
        self, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> npt.NDArray[Any]:
        """Return the same for frameworks that know no read-only memory."""
        if self._alias is None:
            self._alias = np.asarray(_Alias(self.bytes))
        return _view(shape, dtype, self._alias, offset)


def _view(
    shape: tuple[int, ...], dtype: np.dtype[Any], memory: npt.NDArray[np.uint8], offset: int
) -> npt.NDArray[Any]:
    try:
        return np.ndarray(shape, dtype, memory, offset)
    except (TypeError, ValueError, OverflowError) as error:
        raise FrameError(
            f"frame: a tensor of {dtype!s:.80} has an impossible shape: {cause(error)}"
        ) from error


def room(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return new memory that starts on a multiple of 64."""
    whole = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -whole.__array_interface__["data"][0] % ALIGNMENT
    return whole[start : start + nbytes]


def own_copy(buffer: memoryview) -> npt.NDArray[np.uint8]:
    """Return the bytes in new memory that starts on a multiple of 64."""
    copied = room(len(buffer))
    copied[:] = np.frombuffer(buffer, np.uint8)
    return copied


def without_gaps(
    array: npt.NDArray[Any],
) -> tuple[tuple[int, ...] | None, npt.NDArray[Any]]:
    """Return the order of axes in which an array lies without gaps, and the array in that order.

    Returns None and a copy where there is no such order.
    """
    order = tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
    turned = array.transpose(order)
    if turned.flags.c_contiguous:
        return order, turned
    return None, np.ascontiguousarray(array)
