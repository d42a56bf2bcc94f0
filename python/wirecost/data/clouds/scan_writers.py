# SPDX-License-Identifier: Apache-2.0
"""Points to files of point clouds, binary, with every bit of every field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from wirecost.data.clouds import kitti
from wirecost.data.clouds.scan import without_gaps
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

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
        f"SIZE {' '.join(kind[1] for kind, _ in kinds.values())}",
        f"TYPE {' '.join(kind[0].upper() for kind, _ in kinds.values())}",
        f"COUNT {' '.join(str(count) for _, count in kinds.values())}",
        f"WIDTH {points.shape[-1]}",
        f"HEIGHT {points.shape[0] if points.ndim == 2 else 1}",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {points.size}",
        "DATA binary",
    ]
    return _text(lines) + without_gaps(points).tobytes()


def _ply(points: Points) -> bytes:
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {points.size}"]
    for name, (kind, count) in _kinds(points).items():
        if count > 1:
            raise UserError(f"field {shown(name, 30)} has several values; name a .pcd")
        lines.append(f"property {_PLY_TYPES[kind]} {name}")
    return _text([*lines, "end_header"]) + without_gaps(points).tobytes()


def _bin(points: Points) -> bytes:
    if without_gaps(points[:0]).dtype not in kitti.POINTS.values():
        raise UserError(
            "a .bin has x, y, z, intensity and perhaps ring, as floats; name a .pcd or a .ply"
        )
    return without_gaps(points).tobytes()


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _kinds(points: Points) -> dict[str, tuple[str, int]]:
    """Return each field's type, such as ``f4``, and number of values.

    Raises UserError for what no scan's file has.
    """
    kinds = {}
    for name in points.dtype.names or ():
        if not name.isascii() or not name.isprintable() or len(name.split()) != 1 or name == "_":
            raise UserError(f"a field is named {shown(name, 30)}; use wirecost.cloud.decode")
        base, shape = points.dtype[name].subdtype or (points.dtype[name], (1,))
        kinds[name] = (f"{base.kind}{base.itemsize}", shape[0])
    if not kinds:
        raise UserError("points have no fields; pack a cloud that has some")
    return kinds


WRITERS: dict[str, Callable[[Points], bytes]] = {".pcd": _pcd, ".ply": _ply, ".bin": _bin}
"""Functions that return a file's content, by the ending of its name. They raise UserError."""
