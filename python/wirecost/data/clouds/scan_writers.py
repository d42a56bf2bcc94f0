# SPDX-License-Identifier: Apache-2.0
"""Points to files of point clouds, binary, with every bit of every field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.kitti import POINT
from wirecost.system.errors import UserError
from wirecost.system.printable import shown

Points = npt.NDArray[Any]

_PLY_TYPES = {
    "i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint",
    "f4": "float", "f8": "double",
}  # fmt: skip


def _pcd(points: Points) -> bytes:
    kinds = _kinds(points)
    lines = [
        "# .PCD v0.7 - Point Cloud Data file format",
        "VERSION 0.7",
        f"FIELDS {' '.join(kinds)}",
        f"SIZE {' '.join(kind[1] for kind in kinds.values())}",
        f"TYPE {' '.join(kind[0].upper() for kind in kinds.values())}",
        f"COUNT {' '.join('1' for _ in kinds)}",
        f"WIDTH {points.shape[-1]}",
        f"HEIGHT {points.shape[0] if points.ndim == 2 else 1}",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {points.size}",
        "DATA binary",
    ]
    return "".join(f"{line}\n" for line in lines).encode() + _packed(points)


def _ply(points: Points) -> bytes:
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {points.size}"]
    lines += [f"property {_PLY_TYPES[kind]} {name}" for name, kind in _kinds(points).items()]
    return "".join(f"{line}\n" for line in (*lines, "end_header")).encode() + _packed(points)


def _kitti(points: Points) -> bytes:
    if _kinds(points) != dict.fromkeys(POINT.names or (), "f4"):
        raise UserError("KITTI's .bin has x, y, z and intensity as floats; name a .pcd or a .ply")
    return _packed(points)


def _kinds(points: Points) -> dict[str, str]:
    """Return each field's type, such as ``f4``. Raises UserError for what no scan's file has."""
    kinds = {}
    for name in points.dtype.names or ():
        dtype = points.dtype[name]
        if dtype.shape:
            raise UserError(
                f"field {shown(name, 30)} has several values; use wirecost.cloud.decode"
            )
        if not name.isascii() or not name.isprintable() or len(name.split()) != 1 or name == "_":
            raise UserError(f"a field is named {shown(name, 30)}; use wirecost.cloud.decode")
        kinds[name] = f"{dtype.kind}{dtype.itemsize}"
    if not kinds:
        raise UserError("points have no fields; pack a cloud that has some")
    return kinds


def _packed(points: Points) -> bytes:
    """Return the fields without gaps between them."""
    close = np.empty(points.size, [(name, points.dtype[name]) for name in points.dtype.names or ()])
    for name in points.dtype.names or ():
        close[name] = points[name].reshape(-1)
    return close.tobytes()


WRITERS: dict[str, Callable[[Points], bytes]] = {".pcd": _pcd, ".ply": _ply, ".bin": _kitti}
"""Functions that return a file's content, by the ending of its name. They raise UserError."""
