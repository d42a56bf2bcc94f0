# SPDX-License-Identifier: Apache-2.0
"""Arrays that a caller compresses: an object that frames take as a value."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

import msgpack
import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor import codes, compressors
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.dtypes import describe
from wirecost.messaging.tensor.errors import FrameError, cause, short
from wirecost.messaging.tensor.memory import Memory, without_gaps
from wirecost.messaging.tensor.source import Form, Source
from wirecost.messaging.tensor.writer import HANDLERS, Writer
from wirecost.system.errors import UserError
from wirecost.system.plugins import load_plugin

NONE = "none"
_ROOM, _ROOM_ELSEWHERE = 2, 3
"""Memory that a tensor takes while it is expanded, in multiples of its own: libraries need room
beside it, and frameworks other than NumPy may copy it."""
_NANOSECONDS = 20_000
"""Time that a tensor takes however small it is."""


class Compressor(Protocol):
    """A module of ``compressors``."""

    OPTION: str
    """Name of its option in ``compress``; empty if it has none."""

    def compress(self, array: npt.NDArray[Any], option: int | None) -> bytes:
        """Compress an array whose last index varies fastest, without gaps. Raises UserError."""
        ...

    def check(self, data: memoryview, form: Form) -> None:
        """Raise FrameError for data that cannot be such a tensor.

        Those that would take more memory than the tensor to expand are refused, too.
        """
        ...

    def expand(self, data: memoryview, form: Form) -> npt.NDArray[np.uint8]:
        """Return the tensor's bytes in memory of their own. Raises FrameError."""
        ...


class Compressed:
    """An array as compressed bytes.

    ``decode`` gives it with ``as_="compressed"``; it can be sent again as it is. ``codec``:
    ``"lz4"``, ``"zstd"`` or ``"jpeg"``; ``shape``: the array's; ``nbytes``: of the compressed
    bytes, ``data``.
    """

    __slots__ = ("_form", "codec", "data", "nbytes", "shape")

    def __init__(self, codec: str, data: memoryview, form: Form) -> None:
        """Hold what ``compress`` or ``decode`` made."""
        self.codec = codec
        self.data = data
        self.nbytes = len(data)
        self.shape = form.shape
        self._form = form

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"<{shape} {self._form.dtype} as {self.nbytes} bytes of {self.codec}>"

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the array's type; what NumPy has no type for is integers."""
        return self._form.dtype

    def array(self) -> npt.NDArray[Any]:
        """Return the array, in memory of its own, which is writable.

        Raises FrameError for bytes that are damaged or would take more than ``decode`` allows, and
        UserError for a package that is missing.
        """
        return self.source(Budget(self.nbytes), False).numpy()

    def source(self, budget: Budget, elsewhere: bool) -> Source:
        """Return the expanded tensor.

        ``elsewhere``: whether a framework other than NumPy gets it.
        """
        form = self._form
        compressor = _compressor(self.codec)
        compressor.check(self.data, form)
        budget.take("a compressed tensor", 0, _NANOSECONDS, "let the sender make one of many")
        budget.expand(form.nbytes * (_ROOM_ELSEWHERE if elsewhere else _ROOM))
        expanded = compressor.expand(self.data, form)
        if len(expanded) != form.nbytes:
            raise FrameError(
                f"frame: its {self.codec} data are {len(expanded):,} bytes,"
                f" their tensor has {form.nbytes:,}"
            )
        return Source(Memory(expanded, True, None), (0, form.nbytes), form, budget)

    def write(self, writer: Writer) -> msgpack.ExtType:
        """Write it as a value of a frame, whose segment is the data as they lie."""
        form = self._form
        index = writer.segment(self.data)
        axes = None if form.axes is None else [form.axes.index(i) for i in range(len(form.axes))]
        payload = [index, self.codec, form.described, form.shape, axes]
        return msgpack.ExtType(codes.COMPRESSED, msgpack.packb(payload))


def compress(
    array: Any, how: str, *, level: int | None = None, quality: int | None = None
) -> Compressed | npt.NDArray[Any]:
    """Return what ``encode`` and ``send`` take in the place of the array, alone or in a dict.

    Receivers get the array. ``array``: of NumPy, or what NumPy can see as one on the host. ``how``:
    ``"lz4"``, ``"zstd"`` with ``level`` 1 to 22 (3), and ``"jpeg"`` with ``quality`` 1 to 100 (90),
    which is lossy and takes uint8 of height x width or height x width x 3 (RGB); ``"none"`` gives
    the array back. Raises UserError for what cannot be compressed so, and for a package that is
    missing.
    """
    if how != NONE and how not in compressors.NAMES:
        raise UserError(
            f"compress: there is no {how!r}; give {', '.join((*compressors.NAMES, NONE))}"
        )
    plain = _plain(array)
    option = "" if how == NONE else _compressor(how).OPTION
    for name, value in (("level", level), ("quality", quality)):
        if value is not None and name != option:
            raise UserError(f"compress: {how} has no {name}")
    if how == NONE:
        return plain
    axes, whole = (None, plain) if plain.flags.c_contiguous else without_gaps(plain)
    if how == "jpeg" and axes is not None:
        axes, whole = None, np.ascontiguousarray(plain)
    form = Form(describe(plain.dtype), list(plain.shape), axes and list(axes))
    data = _compressor(how).compress(whole, quality if how == "jpeg" else level)
    return Compressed(how, memoryview(data), form)


def received(codec: Any, data: memoryview, form: Form) -> Compressed:
    """Return what ``write`` wrote. Raises FrameError."""
    if codec not in compressors.NAMES:
        raise FrameError(f"frame: compression {short(codec)} is unknown to this version")
    return Compressed(codec, data, form)


def _plain(array: Any) -> npt.NDArray[Any]:
    if isinstance(array, np.ma.MaskedArray):
        raise UserError("compress: a masked array; compress its data and its mask")
    try:
        return np.asarray(array).view(np.ndarray)
    except Exception as error:
        # Arrays on a device, or ragged ones: each package has errors of its own.
        raise UserError(
            f"compress: {type(array).__name__} is no array on the host: {cause(error)}"
        ) from error


@cache
def _compressor(name: str) -> Compressor:
    compressor: Compressor = load_plugin(compressors.__name__, name)
    return compressor


HANDLERS[Compressed] = lambda writer, value: value.write(writer)
