# SPDX-License-Identifier: Apache-2.0
"""LZ4: one raw block, without a size in front of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.compressors import REMEDY
from wirecost.messaging.tensor.errors import FrameError, cause
from wirecost.messaging.tensor.memory import bytes_of
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Form
from wirecost.system.errors import UserError

OPTION = ""
PLUGIN_ORDER = 1
_MOST_RATIO = 255
"""A length is written as bytes of 255: a block becomes no more than so many times its size."""
_MOST_BYTES = 0x7E000000
"""The library's own limit."""


def compress(array: npt.NDArray[Any], _: int | None) -> bytes:
    """Raise UserError for arrays of 2 GB and more."""
    if array.nbytes > _MOST_BYTES:
        raise UserError(f"lz4: an array of {array.nbytes} bytes; compress with zstd, or in parts")
    compressed: bytes = load("lz4.block").compress(bytes_of(array), store_size=False)
    return compressed


def check(data: memoryview, form: Form) -> None:
    """Raise FrameError where the block is too short."""
    if form.nbytes > _MOST_RATIO * len(data):
        raise FrameError(
            f"frame: {len(data)} bytes of lz4 cannot be a tensor of {form.nbytes:,} bytes"
        )


def expand(data: memoryview, form: Form) -> npt.NDArray[np.uint8]:
    """Return the tensor's bytes, in memory of their own. Raises FrameError."""
    lz4 = load("lz4.block", REMEDY)
    try:
        expanded = lz4.decompress(data, uncompressed_size=form.nbytes, return_bytearray=True)
    except (lz4.LZ4BlockError, ValueError, OverflowError) as error:
        raise FrameError(f"frame: its lz4 data are damaged: {cause(error)}") from error
    return np.frombuffer(expanded, np.uint8)
