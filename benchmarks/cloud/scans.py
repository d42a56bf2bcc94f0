# SPDX-License-Identifier: Apache-2.0
"""Scans of rotating lidars, real or made up, as points of PointXYZIRCAEDT."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.scans import pcd
from wirecost.system.errors import UserError

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
OLDER = np.dtype(
    {
        "names": ["x", "y", "z", "intensity", "ring", "azimuth", "distance", "return_type", "t"],
        "formats": ["<f4", "<f4", "<f4", "<f4", "<u2", "<f4", "<f4", "u1", "<f8"],
        "offsets": [0, 4, 8, 12, 16, 20, 24, 28, 32],
        "itemsize": 40,
    }
)
"""PointXYZIRADRT with the natural places of its fields."""

SENSORS = {"vlp16": (16, 14_831), "vlp32": (32, 26_216), "vls128": (128, 208_680)}
"""Channels, and points of a real scan of that sensor."""
REAL = ("vlp16", "vlp32")
CHANNEL_GAP = np.radians(0.05)
MOST_CHANNELS = 128
TURNS = 8
LARGEST_GAP = 0.35

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
    points = _of(
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


def read(path: Path) -> Scan:
    """Return a ``.pcd`` scan.

    Fields that it lacks are computed of x, y and z: a channel is an elevation that some points
    share. Raises UserError on a file that cannot be read, without x, y, z, or with too many
    channels.
    """
    columns = pcd.read(path)
    if missing := [name for name in "xyz" if name not in columns]:
        raise UserError(f"{path}: has no field {missing[0]}; name a scan with x, y and z")
    if not len(columns["x"]):
        raise UserError(f"{path}: has no points; name another scan")
    x, y, z = (columns[name].astype(np.float64) for name in "xyz")
    distance = np.sqrt(x * x + y * y + z * z)
    elevation = np.arcsin(np.divide(z, distance, out=np.zeros_like(z), where=distance > 0))
    computed = {
        "distance": distance,
        "elevation": elevation,
        "azimuth": np.arctan2(x, y) % (2 * np.pi),
    }
    fields = {name: columns[name] for name in POINT.names or () if name in columns}
    fields.setdefault(
        "channel", columns["ring"] if "ring" in columns else _channels(path, elevation)
    )
    points = _of(x, y, z, **(computed | {n: v for n, v in fields.items() if n not in "xyz"}))
    return Scan(f"{path.parent.name}/{path.stem}", points)


def real() -> tuple[list[Scan], dict[str, str]]:
    """Return the real scans in the folder ``WIRECOST_DATA``, and why others are not there."""
    named = os.environ.get("WIRECOST_DATA")
    scans: list[Scan] = []
    why: dict[str, str] = {}
    for sensor in REAL:
        folder = Path(named) / "lidar" / sensor if named else None
        files = sorted(folder.glob("*.pcd")) if folder else []
        if files:
            scans.append(read(files[0]))
        else:
            where = f"none in {folder}" if folder else "WIRECOST_DATA is not set"
            why[f"real {sensor} scan"] = f"{where}; name one with --scan FILE.pcd"
    return scans, why


def in_turns(points: Points, seed: int) -> list[Points]:
    """Return ``TURNS`` messages of one scan that lack sectors of different width.

    The first is whole. Real scans are never twice the same size either.
    """
    random = np.random.default_rng(seed)
    turned = [points]
    for lacking in np.linspace(0, LARGEST_GAP, TURNS)[1:]:
        begin = random.uniform(0, 2 * np.pi)
        gone = (points["azimuth"] - begin) % (2 * np.pi) < lacking * 2 * np.pi
        turned.append(points[~gone])
    return turned


def older(points: Points) -> Points:
    """Return the same points as PointXYZIRADRT."""
    converted = np.zeros(len(points), OLDER)
    for name in ("x", "y", "z", "intensity", "azimuth", "distance", "return_type"):
        converted[name] = points[name]
    converted["ring"] = points["channel"]
    converted["t"] = points["time_stamp"] * 1e-9
    return converted


def _of(x: Points, y: Points, z: Points, **fields: Points) -> Points:
    points = np.zeros(len(x), POINT)
    points["x"], points["y"], points["z"] = x, y, z
    for name, values in fields.items():
        points[name] = values
    if "time_stamp" not in fields:
        points["time_stamp"] = np.linspace(0, 1e8, len(x), endpoint=False)
    return points


def _channels(path: Path, elevation: Points) -> Points:
    """Return the rank of each point's elevation among those that are apart."""
    order = np.argsort(elevation, kind="stable")
    steps = np.diff(elevation[order]) > CHANNEL_GAP
    ranks = np.zeros(len(elevation), np.int64)
    ranks[order[1:]] = np.cumsum(steps)
    if int(ranks.max()) >= MOST_CHANNELS:
        raise UserError(
            f"{path}: has no channels, and more than {MOST_CHANNELS} elevations; "
            "name the scan of a rotating lidar"
        )
    return ranks
