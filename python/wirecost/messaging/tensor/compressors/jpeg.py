# SPDX-License-Identifier: Apache-2.0
"""JPEG, lossy: images of 8 bits as cameras write them, baseline and in one scan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.compressors import REMEDY
from wirecost.messaging.tensor.errors import FrameError, cause
from wirecost.messaging.tensor.memory import room
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Form
from wirecost.system.errors import UserError

OPTION = "quality"
PLUGIN_ORDER = 3
_QUALITY, _MOST_QUALITY = 90, 100
_SUBSAMPLING = "420"
"""One colour for four pixels, as cameras and most libraries do it."""
_MOST_EXTENT = 65_500
"""The library's own limit."""
_START, _BASELINE, _SCAN = b"\xff\xd8", 0xC0, 0xDA
_TABLES = frozenset({0xC4, 0xDB, 0xDD, 0xFE, *range(0xE0, 0xF0)})
"""Markers before the image: tables, restart intervals, comments, applications' own."""
_MOST_SEGMENTS = 64
"""Before the image; usual ones have ten. Each costs a microsecond, however short it is."""
_FACTORS = frozenset({0x11, 0x12, 0x21, 0x22})
"""Pixels for a sample, across and down."""


def compress(array: npt.NDArray[Any], quality: int | None) -> bytes:
    """Compress at ``quality`` 1 to 100, 90 if None. Raises UserError for what is no image."""
    quality = _QUALITY if quality is None else quality
    if not 1 <= quality <= _MOST_QUALITY:
        raise UserError(f"jpeg: quality {quality}; give 1 to {_MOST_QUALITY}")
    grey = array.ndim == 2
    if array.dtype != np.uint8 or not (grey or array.shape[2:] == (3,)):
        raise UserError(
            f"jpeg: takes uint8 of height x width or height x width x 3 (RGB), not {array.dtype}"
            f" {'x'.join(map(str, array.shape)) or 'scalar'}; compress with zstd or lz4"
        )
    if not 0 < min(array.shape) <= max(array.shape) <= _MOST_EXTENT:
        raise UserError(f"jpeg: an image has 1 to {_MOST_EXTENT} rows and columns")
    pixels = array[:, :, None] if grey else array
    names = ("GRAY", "Gray") if grey else ("RGB", _SUBSAMPLING)
    compressed: bytes = load("simplejpeg").encode_jpeg(pixels, quality, *names, False)
    return compressed


def check(data: memoryview, form: Form) -> None:
    """Raise FrameError for another image than the form's.

    Those that take memory or time beyond their pixels, as progressive ones, are refused, too.
    """
    if form.described != "|u1" or form.axes is not None:
        raise FrameError("frame: a JPEG image is of bytes, row by row")
    shape = _shape_of(data)
    if shape != form.shape:
        raise FrameError(f"frame: a JPEG image of {shape} is said to be one of {form.shape[:4]}")


def expand(data: memoryview, form: Form) -> npt.NDArray[np.uint8]:
    """Return the pixels, in memory of their own. Raises FrameError."""
    expanded = room(form.nbytes)
    colours = "GRAY" if len(form.shape) == 2 else "RGB"
    try:
        load("simplejpeg", REMEDY).decode_jpeg(data, colours, False, False, buffer=expanded)
    except ValueError as error:
        raise FrameError(f"frame: its JPEG data are damaged: {cause(error)}") from error
    return expanded


def _shape_of(data: memoryview) -> tuple[int, ...]:
    """Return the shape, as an array's, from what lies before the pixels. Raises FrameError."""
    shape: tuple[int, ...] = ()
    for marker, part in islice(_segments(data), _MOST_SEGMENTS):
        if marker == _BASELINE and not shape:
            shape = _shape(part)
        elif marker == _SCAN and shape and part[:1] == bytes([_colours(shape)]):
            return shape
        elif marker not in _TABLES:
            break
    raise FrameError("frame: its JPEG data are no baseline image in one scan")


def _segments(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Yield markers up to the first that is damaged, with what belongs to each."""
    at = len(_START)
    if data[:at] != _START:
        return
    while at + 4 <= len(data) and data[at] == 0xFF:
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        yield data[at + 1], data[at + 4 : end]
        at = end


def _shape(part: memoryview) -> tuple[int, ...]:
    """Return the shape in a frame header of JPEG."""
    count = part[5] if len(part) > 5 else 0
    if count not in (1, 3) or len(part) != 6 + 3 * count or part[0] != 8:
        raise FrameError("frame: its JPEG data are not of 8 bits in one or three colours")
    if not _FACTORS.issuperset(part[7::3]):
        raise FrameError("frame: its JPEG data have more than two pixels for a colour")
    shape = int.from_bytes(part[1:3], "big"), int.from_bytes(part[3:5], "big")
    return shape if count == 1 else (*shape, 3)


def _colours(shape: tuple[int, ...]) -> int:
    return shape[2] if len(shape) > 2 else 1
