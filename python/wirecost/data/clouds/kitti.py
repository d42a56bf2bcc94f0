# SPDX-License-Identifier: Apache-2.0
"""``.bin`` files: floats without a header, four per point (KITTI) or five (nuScenes)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.mapped import mapped
from wirecost.data.clouds.scan import Scan
from wirecost.system.errors import UserError

NAMES = ("x", "y", "z", "intensity", "ring")
POINTS = {many: np.dtype([(name, "<f4") for name in NAMES[:many]]) for many in (4, 5)}
"""Types of a point by its floats: KITTI's has a reflectance, nuScenes' also the beam's number."""
MOST_RINGS = 1024
FARTHEST = 1e5
"""Metres: what lies beyond is no place."""


def load(path: Path, floats: int = 0) -> Scan:
    """Read the points. ``floats``: of a point; 0: decided by the values.

    Raises UserError on a file that has not whole points, or whose values leave the question open.
    """
    content = mapped(path, ".bin")
    whole = [many for many in POINTS if len(content) % (4 * many) == 0]
    if floats:
        if floats not in whole:
            raise UserError(
                f"{path}: its {len(content)} bytes are not whole points of {floats} floats; "
                "name a scan as KITTI (4) or nuScenes (5) stores them"
            )
        return Scan(_points(content, floats))
    if not whole:
        raise UserError(
            f"{path}: its {len(content)} bytes are not whole points of four floats (KITTI) or "
            "five (nuScenes); name such a scan"
        )
    fitting = [many for many in whole if _is_plausible(_points(content, many))]
    if len(fitting) != 1:
        said = "may hold" if fitting else "holds no places and reflectances of"
        raise UserError(
            f"{path}: it {said} four floats per point (KITTI) or five (nuScenes); say which by "
            "`wirecost convert-cloud --bin-floats`"
        )
    return Scan(_points(content, fitting[0]))


def _points(content: Any, floats: int) -> npt.NDArray[Any]:
    return np.frombuffer(content, POINTS[floats])


def _is_plausible(points: npt.NDArray[Any]) -> bool:
    """Return whether the values are places, a reflectance, and numbers of beams."""
    if not (points["intensity"] >= 0).all():
        return False
    for name in "xyz":
        places = points[name]
        if (np.abs(places[np.isfinite(places)]) > FARTHEST).any():
            return False
    if "ring" not in (points.dtype.names or ()):
        return True
    rings = points["ring"]
    return bool(((rings >= 0) & (rings < MOST_RINGS) & (rings == np.floor(rings))).all())
