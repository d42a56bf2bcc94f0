# SPDX-License-Identifier: Apache-2.0
"""Zstandard: one frame that says how many bytes are in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.compressors import REMEDY
from wirecost.messaging.tensor.errors import FrameError, cause
from wirecost.messaging.tensor.memory import bytes_of, room
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Form
from wirecost.system.errors import UserError

OPTION = "level"
PLUGIN_ORDER = 2
_LEVEL, _MOST_LEVEL = 3, 22
_LEAST_WINDOW = 1024
"""Bytes that every frame may look back."""
_COMPRESSORS: dict[int, list[Any]] = {}
_EXPANDERS: list[Any] = []
"""Expanders that nobody uses now: their own memory is most of a small array's cost."""


def compress(array: npt.NDArray[Any], level: int | None) -> bytes:
    """Compress at ``level`` 1 to 22, 3 if None. Raises UserError for others."""
    level = _LEVEL if level is None else level
    if not 1 <= level <= _MOST_LEVEL:
        raise UserError(f"zstd: level {level}; give 1 to {_MOST_LEVEL}")
    idle = _COMPRESSORS.setdefault(level, [])
    try:
        compressor = idle.pop()
    except IndexError:
        compressor = load("zstandard").ZstdCompressor(level=level)
    compressed: bytes = compressor.compress(bytes_of(array))
    idle.append(compressor)
    return compressed


def check(data: memoryview, form: Form) -> None:
    """Raise FrameError where the frame has another size, or needs more memory beside it."""
    zstd = load("zstandard", REMEDY)
    try:
        about = zstd.get_frame_parameters(data)
    except zstd.ZstdError as error:
        raise FrameError(f"frame: its zstd data cannot be read: {cause(error)}") from error
    if about.content_size != form.nbytes:
        raise FrameError(
            f"frame: its zstd data say other than the {form.nbytes:,} bytes of their tensor"
        )
    if about.window_size > max(form.nbytes, _LEAST_WINDOW):
        raise FrameError(f"frame: its zstd data ask for a window of {about.window_size:,} bytes")


def expand(data: memoryview, form: Form) -> npt.NDArray[np.uint8]:
    """Return the tensor's bytes, in memory of their own. Raises FrameError."""
    zstd = load("zstandard", REMEDY)
    try:
        expander = _EXPANDERS.pop()
    except IndexError:
        expander = zstd.ZstdDecompressor()
    expanded = room(form.nbytes)
    try:
        written = expander.stream_reader(data).readinto(expanded)
    except (zstd.ZstdError, ValueError) as error:
        raise FrameError(f"frame: its zstd data are damaged: {cause(error)}") from error
    if written != form.nbytes:
        raise FrameError(f"frame: its zstd data end after {written:,} bytes")
    _EXPANDERS.append(expander)
    return expanded
