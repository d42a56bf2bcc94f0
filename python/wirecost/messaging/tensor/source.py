# SPDX-License-Identifier: Apache-2.0
"""A received tensor before a framework makes one of its own of it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.dtypes import NARROW, stored, understand
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.layout import ALIGNMENT
from wirecost.messaging.tensor.memory import Memory, bytes_of, own_copy
from wirecost.system.errors import UserError

_MOST_DIMENSIONS = 64
"""NumPy's own limit."""
_MOST_EMPTY = 1 << 16
"""Elements of no bytes, as of type ``V0``: whatever goes through them finds no end."""


class Form:
    """A tensor's description, checked: type, shape, order of axes and bytes."""

    __slots__ = ("axes", "described", "dtype", "narrow", "nbytes", "shape", "stored_shape")

    def __init__(self, described: Any, shape: Any, axes: Any) -> None:
        """Check a form; ``axes``: None, or the order in which they lie. Raises FrameError."""
        if type(shape) is not list or not all(type(n) is int and n >= 0 for n in shape):
            raise FrameError("frame: the shape of a tensor cannot be read")
        if len(shape) > _MOST_DIMENSIONS:
            raise FrameError(f"frame: a tensor of {len(shape)} dimensions")
        self.described = described
        self.dtype = stored(described)
        self.narrow = described if str(described) in NARROW else None
        self.shape = self.stored_shape = tuple(shape)
        elements = prod(shape)
        self.nbytes = elements * self.dtype.itemsize
        if elements > _MOST_EMPTY and not self.nbytes:
            raise FrameError(f"frame: a tensor of {elements:,} elements without memory")
        self.axes: tuple[int, ...] | None = None
        if axes is not None:
            if (
                type(axes) is not list
                or len(axes) != len(shape)
                or set(map(str, axes)) != set(map(str, range(len(shape))))
            ):
                raise FrameError("frame: the axes of a tensor are not those of its shape")
            self.stored_shape = tuple(shape[axis] for axis in axes)
            self.axes = tuple(axes.index(axis) for axis in range(len(axes)))


class Source:
    """Checked: shape and type need exactly the memory that is there."""

    __slots__ = ("_form", "_memory", "_offset", "budget", "described", "kind", "narrow", "shape")

    def __init__(
        self, memory: Memory, segment: tuple[int, int], form: Form, budget: Budget
    ) -> None:
        """Refer to a ``segment``: offset and length, bytes, of checked memory. Raises FrameError.

        ``narrow``: the element type's name where NumPy has none; ``kind``: NumPy's letter for it;
        ``budget``: for what takes more than the tensor's own memory.
        """
        self.budget = budget
        self._offset, length = segment
        if length != form.nbytes:
            raise FrameError(
                f"frame: a tensor of {form.dtype!s:.80} and shape {_short(form.shape)}"
                f" does not take {length} bytes"
            )
        self._memory = memory
        self._form = form
        self.described = form.described
        self.narrow = form.narrow
        self.kind = form.dtype.kind
        self.shape = form.shape

    def numpy(self) -> npt.NDArray[Any]:
        """Return a view, read-only unless decoded otherwise. Raises UserError without ml_dtypes."""
        return self._made(
            self._memory.array, understand(self.described) if self.narrow else self._form.dtype
        )

    def shared(self) -> npt.NDArray[Any]:
        """Return a view that claims to be writable, for frameworks that know nothing else.

        Narrow types as integers, foreign byte order and unaligned memory copied.
        """
        array = self._made(self._memory.writable_array, self._form.dtype)
        if not array.dtype.isnative:
            return array.astype(array.dtype.newbyteorder("="))
        return array if array.flags.aligned else array.copy()

    def aligned(self) -> npt.NDArray[Any]:
        """Return it as ``shared`` does, but aligned and without gaps.

        It is copied where the memory does not start on a multiple of 64, or the last index does not
        vary fastest.
        """
        array = np.ascontiguousarray(self.shared()).reshape(self.shape)
        if not array.nbytes or array.__array_interface__["data"][0] % ALIGNMENT == 0:
            return array
        return own_copy(bytes_of(array)).view(array.dtype).reshape(self.shape)

    def _made(self, view: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        form = self._form
        array: npt.NDArray[Any] = view(self._offset, form.stored_shape, dtype)
        return array if form.axes is None else array.transpose(form.axes)


def refuse(source: Source | Form, framework: str) -> UserError:
    """Return an error for a type that a framework has not."""
    name = source.described if isinstance(source.described, str) else "a structure"
    return UserError(f'{framework}: has no elements of type {name}; decode with as_="numpy"')


def _short(shape: Any) -> str:
    return str(tuple(shape[:8])) + ("…" if len(shape) > 8 else "")
