# SPDX-License-Identifier: Apache-2.0
"""Files of point clouds, by the endings of their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.scans import kitti, pcd, ply

_READERS = {".pcd": pcd.read, ".ply": ply.read, ".bin": kitti.read}


def is_scan(path: Path) -> bool:
    """Return whether the file's name is a point cloud's."""
    return path.suffix.lower() in _READERS


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the fields with one value per point; a file of another name as ``.pcd``.

    Raises UserError.
    """
    return _READERS.get(path.suffix.lower(), pcd.read)(path)


def points(path: Path) -> npt.NDArray[Any]:
    """Read the points as a structured array, as a message has them: doubles of text as floats.

    Raises UserError.
    """
    columns = read(path)
    kinds = [
        (name, "<f4" if values.dtype.kind == "f" and values.itemsize == 8 else values.dtype.str)
        for name, values in columns.items()
    ]
    made = np.empty(len(next(iter(columns.values()), ())), kinds)
    for name, values in columns.items():
        made[name] = values
    return made
