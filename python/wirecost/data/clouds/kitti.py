# SPDX-License-Identifier: Apache-2.0
"""``.bin`` files of KITTI's Velodyne: x, y, z and reflectance of each point as floats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.mapped import mapped
from wirecost.system.errors import UserError

POINT = np.dtype([(name, "<f4") for name in ("x", "y", "z", "intensity")])


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the fields, each of shape (points,); the reflectance, 0 … 1, is called intensity.

    Raises UserError on a file that has not whole points.
    """
    content = mapped(path, ".bin")
    if len(content) % POINT.itemsize:
        raise UserError(
            f"{path}: its {len(content)} bytes are not whole points of four floats; "
            "name a scan as KITTI stores them"
        )
    points = np.frombuffer(content, POINT)
    return {name: np.ascontiguousarray(points[name]) for name in POINT.names or ()}
