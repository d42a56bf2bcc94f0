# SPDX-License-Identifier: Apache-2.0
"""Files of point clouds, by the endings of their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy.typing as npt

from wirecost.data.clouds import kitti, pcd, ply
from wirecost.data.clouds.scan import Scan

LOADERS = {".pcd": pcd.load, ".ply": ply.load, ".bin": kitti.load}


def is_scan(path: Path) -> bool:
    """Return whether the file's name is a point cloud's."""
    return path.suffix.lower() in LOADERS


def load(path: Path, bin_floats: int = 0, suffix: str = "") -> Scan:
    """Read a scan by the ending of its name; a file of another name as ``.pcd``.

    ``bin_floats``: floats per point of a ``.bin``, 0: decided by its values; ``suffix``: the ending
    of the name that the file will have. Raises UserError.
    """
    suffix = suffix or path.suffix.lower()
    if suffix == ".bin":
        return kitti.load(path, bin_floats)
    return LOADERS.get(suffix, pcd.load)(path)


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the fields with one value per point, each of shape (points,). Raises UserError."""
    return load(path).columns()
