# SPDX-License-Identifier: Apache-2.0
"""Scans in files: ``.pcd``, ``.ply`` and KITTI's ``.bin``, as structured arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.scans import pcd
from wirecost.system.errors import UserError
from wirecost.system.printable import shown
from wirecost.system.regular_file import read_regular

SUFFIXES = (".pcd", ".ply", ".bin")
MOST = 1 << 30
"""Bytes of a file that are read."""
LONGEST_HEADER = 1 << 16
KITTI = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4")])
_PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "<i2", "int16": "<i2",
    "ushort": "<u2", "uint16": "<u2", "int": "<i4", "int32": "<i4", "uint": "<u4", "uint32": "<u4",
    "float": "<f4", "float32": "<f4", "double": "<f8", "float64": "<f8",
}  # fmt: skip


def read(path: Path) -> npt.NDArray[Any]:
    """Read the points of a scan. Raises UserError."""
    if path.suffix == ".pcd":
        return _together(pcd.read(path))
    try:
        content = read_regular(path, MOST)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a scan that can be read") from error
    if path.suffix == ".bin":
        if len(content) % KITTI.itemsize:
            raise UserError(f"{path}: is no whole number of points of 16 bytes, as KITTI has them")
        return np.frombuffer(content, KITTI)
    try:
        return _ply(content)
    except ValueError as error:
        raise UserError(f"{path}: {error}; save it as binary, little-endian .ply") from error


def _together(columns: dict[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    kinds = {name: "<f4" if values.dtype == np.float64 else values.dtype.str
             for name, values in columns.items()}  # fmt: skip
    points = np.empty(len(next(iter(columns.values()), ())), list(kinds.items()))
    for name, values in columns.items():
        points[name] = values
    return points


def _ply(content: bytes) -> npt.NDArray[Any]:
    """Return the vertices, which must be the first element. Raises ValueError."""
    end = content.find(b"end_header", 0, LONGEST_HEADER)
    begin = content.find(b"\n", end) + 1
    if not content.startswith(b"ply") or end < 0 or not begin:
        raise ValueError("has no header of a .ply file")
    lines = [line.split() for line in content[:end].decode("latin-1").splitlines()]
    if ["format", "binary_little_endian", "1.0"] not in lines:
        raise ValueError("its data is not binary and little-endian")
    elements = [line for line in lines if line[:1] == ["element"]]
    if not elements or elements[0][1:2] != ["vertex"] or len(elements[0]) != 3:
        raise ValueError("does not begin with vertices")
    count = elements[0][2]
    if not (count.isascii() and count.isdecimal() and len(count) < 12):
        raise ValueError(f"has {shown(count, 30)} vertices")
    first = lines.index(elements[0]) + 1
    after = lines.index(elements[1]) if len(elements) > 1 else len(lines)
    fields = []
    for line in lines[first:after]:
        if line[:1] != ["property"]:
            continue
        if len(line) != 3 or line[1] not in _PLY_TYPES:
            raise ValueError(f"has a property {shown(' '.join(line[1:]), 40)}")
        fields.append((line[2], _PLY_TYPES[line[1]]))
    if not fields or len({name for name, _ in fields}) != len(fields):
        raise ValueError("its vertices have no properties, or one twice")
    dtype = np.dtype(fields)
    if (len(content) - begin) // dtype.itemsize < int(count):
        raise ValueError(f"it is cut off, it cannot hold {count} vertices")
    return np.frombuffer(content, dtype, int(count), begin)
