# SPDX-License-Identifier: Apache-2.0
"""Files of point clouds, by the endings of their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds import kitti, pcd, ply

READERS = {".pcd": pcd.read, ".ply": ply.read, ".bin": kitti.read}


def is_scan(path: Path) -> bool:
    """Return whether the file's name is a point cloud's."""
    return path.suffix.lower() in READERS


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the fields with one value per point; a file of another name as ``.pcd``.

    Raises UserError.
    """
    return READERS.get(path.suffix.lower(), pcd.read)(path)


def points(path: Path, keep_doubles: bool = False) -> npt.NDArray[Any]:
    """Read the points as a structured array, as a message has them: doubles of text as floats.

    ``keep_doubles``: as the file has them, and text as doubles. Raises UserError.
    """
    columns = read(path)
    kinds = [
        (name, "<f4" if values.dtype.str == "<f8" and not keep_doubles else values.dtype.str)
        for name, values in columns.items()
    ]
    made = np.empty(len(next(iter(columns.values()), ())), kinds)
    for name, values in columns.items():
        made[name] = values
    return made
