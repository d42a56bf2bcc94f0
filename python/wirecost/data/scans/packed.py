# SPDX-License-Identifier: Apache-2.0
"""Arrays of points to packed clouds and back; the bytes are made in C++."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost import _core
from wirecost.system.errors import UserError

LIMIT = 1 << 26
"""Most bytes of the points of a cloud, unless the caller allows more."""
PLACE = ("x", "y", "z")
_NAMES = (*PLACE, "intensity")
_TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")
"""Types by their number in ``sensor_msgs/PointField``, less one."""
_KEPT = threading.local()

Points = npt.NDArray[Any]


def encode(
    points: Points, *, error: float | Mapping[str, float] | None = None, quick: bool = False
) -> bytes:
    """Pack points.

    ``points``: a structured array of shape (points,) or (rows, columns) with fields of 1 to 4 bytes
    or doubles; or floats of shape (points, 3 or 4): x, y, z, intensity. ``error``: the largest one
    of x, y and z, or of each field by name, in their unit; without it every bit is kept. Bytes
    between fields are not. ``quick``: in a fifth of the time, in about half as many bytes again.
    Raises UserError.
    """
    points = _structured(points)
    names = points.dtype.names or ()
    errors = {} if error is None else error
    if not isinstance(errors, Mapping):
        errors = {name: errors for name in PLACE if name in names}
        if not errors:
            raise UserError("points have no x, y or z; give errors as {'range': 0.001}")
    height, width = points.shape if points.ndim == 2 else (1, points.size)
    packer = _packer(tuple((name, float(most)) for name, most in errors.items()), quick)
    fields = point_fields(points.dtype)
    data = np.ascontiguousarray(points).reshape(-1).view(np.uint8)
    try:
        return packer.pack(data, (height, width, points.dtype.itemsize, fields))
    except ValueError as cause:
        raise UserError(f"{cause}; see wirecost.cloud.encode") from cause


def decode(data: bytes | bytearray | memoryview, *, limit: int = LIMIT) -> Points:
    """Unpack points into a structured array of shape (points,), or of rows and columns.

    ``limit``: most bytes of the points; unpacking takes up to eight times as many, and 25 times for
    points of one byte. Raises UserError, before any memory is taken for a cloud that is larger.
    """
    packed = np.frombuffer(data, np.uint8)
    unpacker = _core.CloudUnpacker()
    try:
        height, width, step, fields = unpacker.read(packed)
        if height * width * step > limit:
            raise UserError(f"a cloud of {height * width * step:,} bytes; allow it by limit=")
        dtype = np.dtype(
            {
                "names": [name for name, *_ in fields],
                "formats": [
                    f"<{_TYPES[number - 1]}" if count == 1 else f"({count},)<{_TYPES[number - 1]}"
                    for _, _, number, count in fields
                ],
                "offsets": [offset for _, offset, _, _ in fields],
                "itemsize": step,
            }
        )
        bytes_ = np.empty(height * width * step, np.uint8)
        unpacker.unpack(packed, bytes_)
    except (ValueError, UnicodeDecodeError) as cause:
        raise UserError(f"{cause}; it was cut off or changed, pack the cloud again") from cause
    points = bytes_.view(dtype) if step else np.empty(0, dtype)
    return points if height == 1 else points.reshape(height, width)


def _packer(errors: tuple[tuple[str, float], ...], quick: bool) -> _core.CloudPacker:
    """Return this thread's packer, which keeps its memory while errors and effort stay."""
    kept: tuple[tuple[tuple[str, float], ...], bool, _core.CloudPacker] | None
    kept = getattr(_KEPT, "packer", None)
    if kept is None or kept[:2] != (errors, quick):
        try:
            kept = (errors, quick, _core.CloudPacker(list(errors), quick))
        except ValueError as cause:
            raise UserError(f"{cause}; give a distance such as 0.001") from cause
        _KEPT.packer = kept
    return kept[2]


def _structured(points: Points) -> Points:
    points = np.asarray(points)
    if points.dtype.names is None:
        kind = {"f2": "<f4", "f4": "<f4", "f8": "<f8"}.get(
            f"{points.dtype.kind}{points.dtype.itemsize}"
        )
        if points.ndim != 2 or points.shape[1] not in (3, 4) or kind is None:
            raise UserError(
                f"points of shape {points.shape} and type {points.dtype}; give a structured array, "
                "or floats of shape (points, 3 or 4)"
            )
        names = _NAMES[: points.shape[1]]
        # As wide as they are: maps' coordinates lose centimetres in four bytes.
        floats = np.ascontiguousarray(points, kind)
        return floats.view([(name, kind) for name in names]).reshape(-1)
    if points.ndim not in (1, 2):
        raise UserError(f"points of shape {points.shape}; give one or two axes")
    return points.astype(points.dtype.newbyteorder("<"), copy=False)


def point_fields(dtype: np.dtype[Any]) -> list[tuple[str, int, int, int]]:
    """Return name, offset, type and count of each field, as a ``PointField`` has them.

    Raises UserError for a type that it has not.
    """
    fields = []
    for name in dtype.names or ():
        assert dtype.fields is not None
        inner, offset = dtype.fields[name][:2]
        base, shape = inner.subdtype or (inner, ())
        type_ = f"{base.kind}{base.itemsize}"
        if type_ not in _TYPES or len(shape) > 1:
            raise UserError(
                f"field {name} is of type {inner}; points have integers of 1, 2 or 4 bytes, floats "
                "and doubles"
            )
        count = int(shape[0]) if shape else 1
        fields.append((name, int(offset), _TYPES.index(type_) + 1, count))
    return fields
