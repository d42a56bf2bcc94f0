# SPDX-License-Identifier: Apache-2.0
"""A made-up turn of a rotating lidar, as points of PointXYZIRCAEDT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

POINT = np.dtype(
    [
        ("x", "<f4"),
        ("y", "<f4"),
        ("z", "<f4"),
        ("intensity", "u1"),
        ("return_type", "u1"),
        ("channel", "<u2"),
        ("azimuth", "<f4"),
        ("elevation", "<f4"),
        ("distance", "<f4"),
        ("time_stamp", "<u4"),
    ]
)
SENSORS = {"vlp16": (16, 14_831), "vlp32": (32, 26_216), "vls128": (128, 208_680)}
"""Channels, and points of a real scan of that sensor."""

Points = npt.NDArray[Any]


@dataclass(frozen=True)
class Scan:
    """Points of one turn of a lidar."""

    name: str
    points: Points
    """Shape (points,), dtype POINT."""


def synthetic(sensor: str, seed: int) -> Scan:
    """Return walls, boxes and ground around a sensor, with noise, in as many points as real scans.

    The order is that of a sensor which fires all channels at one azimuth after the other.
    """
    channels, count = SENSORS[sensor]
    random = np.random.default_rng(seed)
    columns = -(-count // channels)
    azimuth = np.repeat(np.linspace(0, 2 * np.pi, columns, endpoint=False), channels)[:count]
    channel = np.tile(np.arange(channels), columns)[:count]
    elevation = np.radians(np.linspace(-25, 15, channels))[channel]
    sector = (azimuth / (2 * np.pi) * 180).astype(np.int64)
    wall = random.uniform(4, 60, 181)[sector]
    with np.errstate(divide="ignore"):
        ground = np.where(elevation < 0, 1.8 / np.sin(np.maximum(-elevation, 1e-6)), np.inf)
    distance = np.minimum(wall, ground) * random.normal(1, 0.003, count)
    stray = random.random(count) < 0.03
    distance[stray] = random.uniform(0.5, 60, int(stray.sum()))
    points = with_fields(
        distance * np.cos(elevation) * np.sin(azimuth),
        distance * np.cos(elevation) * np.cos(azimuth),
        distance * np.sin(elevation),
        channel=channel,
        azimuth=azimuth,
        elevation=elevation,
        distance=distance,
        intensity=random.integers(0, 256, count),
    )
    return Scan(f"synthetic {sensor}", points)


def with_fields(x: Points, y: Points, z: Points, **fields: Points) -> Points:
    """Return points; without times they are spread over a tenth of a second."""
    points = np.zeros(len(x), POINT)
    points["x"], points["y"], points["z"] = x, y, z
    for name, values in fields.items():
        points[name] = values
    if "time_stamp" not in fields:
        points["time_stamp"] = np.linspace(0, 1e8, len(x), endpoint=False)
    return points
