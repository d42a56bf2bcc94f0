# SPDX-License-Identifier: Apache-2.0
"""A point cloud as a file holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_FIELDS = 256
"""Fields of a point, as packed clouds may have."""
MOST_VALUES = 1 << 11
"""Values of a point, those of histograms counted one by one: descriptors have up to 1,980."""

Points = npt.NDArray[Any]


@dataclass(frozen=True)
class Scan:
    """Points of a file. ``left_out``: what the file has besides, such as ``VIEWPOINT``."""

    points: Points
    """Structured, little-endian, without gaps; of shape (points,), or (rows, columns)."""
    left_out: tuple[str, ...] = ()

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the fields with one value per point, each of shape (points,)."""
        points = self.points.reshape(-1)
        return {
            name: np.ascontiguousarray(points[name])
            for name in points.dtype.names or ()
            if not points.dtype[name].shape
        }


def check_counts(fields: int, values: int) -> None:
    """Raise ValueError for a point of too many fields or values, before memory is taken."""
    if fields > MOST_FIELDS or values > MOST_VALUES:
        raise ValueError(
            f"its points have {fields:,} fields and {values:,} values, more than "
            f"{MOST_FIELDS} and {MOST_VALUES:,}"
        )


def without_gaps(points: Points) -> Points:
    """Return the fields in their order, little-endian, with no bytes between them."""
    names = points.dtype.names or ()
    close = np.empty(points.shape, [(name, points.dtype[name].newbyteorder("<")) for name in names])
    for name in names:
        close[name] = points[name]
    return close
