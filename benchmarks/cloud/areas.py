# SPDX-License-Identifier: Apache-2.0
"""Points around a car, and detection areas with a given share of them inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

AREAS = 8
HALF_SCENE = 60.0
"""Metres: points lie in a square of twice that."""
RING = 35.0
"""Metres from the middle to the middles of the areas."""
RADIUS = 6.0
POINT = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("padding", "<f4")])
"""Layout of pcl::PointXYZ."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scene:
    """Points, and the areas in which some of them lie."""

    points: npt.NDArray[Any]
    """Shape (points,), dtype POINT."""
    areas: tuple[Floats, ...]
    """Vertices of each area in order, shape (vertices, 2)."""

    def packed_areas(self) -> bytes:
        """Return for each area its number of coordinates as 64 bits, then they, little-endian."""
        return b"".join(
            np.uint64(area.size).astype("<u8").tobytes() + area.astype("<f8").tobytes()
            for area in self.areas
        )


def scene(points: int, vertices: int, inside: float, seed: int) -> Scene:
    """Return ``AREAS`` rounded, dented areas on a ring, and points in random order.

    A share of ``inside``, 0 to 1, of the points lies in one of the areas, the others anywhere
    outside.
    """
    random = np.random.default_rng(seed)
    phases = random.uniform(0, 2 * np.pi, (AREAS, 2))
    middle_angles = np.arange(AREAS) * 2 * np.pi / AREAS
    middles = RING * np.column_stack([np.cos(middle_angles), np.sin(middle_angles)])
    areas = []
    for middle, phase in zip(middles, phases, strict=True):
        angles = np.arange(vertices) * 2 * np.pi / vertices
        # An area that a map's author clicks is not smooth to the millimetre.
        radii = _radius(angles, phase) * random.normal(1, 0.003, vertices)
        areas.append(middle + _polar(angles, radii))
    hit_count = round(points * inside)
    which = random.integers(0, AREAS, hit_count)
    angles = random.uniform(0, 2 * np.pi, hit_count)
    radii = 0.9 * _radius(angles, phases[which].T) * np.sqrt(random.random(hit_count))
    hits = middles[which] + _polar(angles, radii * _inner(vertices))
    misses = np.zeros((0, 2))
    while len(misses) < points - hit_count:
        tried = random.uniform(-HALF_SCENE, HALF_SCENE, (points, 2))
        apart = np.linalg.norm(tried[:, None] - middles, axis=2).min(axis=1)
        misses = np.vstack([misses, tried[apart > 1.3 * RADIUS]])
    near = np.vstack([hits, misses[: points - hit_count]])
    cloud = np.zeros(points, POINT)
    order = random.permutation(points)
    cloud["x"], cloud["y"] = near[order].T
    cloud["z"] = random.uniform(-2, 4, points)
    return Scene(cloud, tuple(areas))


def _radius(angles: Floats, phase: Floats) -> Floats:
    radius: Floats = RADIUS * (
        1 + 0.15 * np.sin(2 * angles + phase[0]) + 0.1 * np.sin(3 * angles + phase[1])
    )
    return radius


def _inner(vertices: int) -> float:
    """Return the least share of the round shape that a polygon of so few vertices holds."""
    return 0.8 if vertices < 32 else 1.0


def _polar(angles: Floats, radii: Floats) -> Floats:
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
