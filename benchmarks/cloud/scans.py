# SPDX-License-Identifier: Apache-2.0
"""Scans of rotating lidars as points of PointXYZIRCAEDT, and as the messages of a case."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from wirecost.data.clouds import pcd
from wirecost.measure.bench.codecs.synthetic import POINT, Points, Scan, with_fields
from wirecost.system.errors import UserError

OLDER = np.dtype(
    {
        "names": ["x", "y", "z", "intensity", "ring", "azimuth", "distance", "return_type", "t"],
        "formats": ["<f4", "<f4", "<f4", "<f4", "<u2", "<f4", "<f4", "u1", "<f8"],
        "offsets": [0, 4, 8, 12, 16, 20, 24, 28, 32],
        "itemsize": 40,
    }
)
"""PointXYZIRADRT with the natural places of its fields."""

REAL = ("vlp16", "vlp32")
CHANNEL_GAP = np.radians(0.05)
MOST_CHANNELS = 128
TURNS = 8
LARGEST_GAP = 0.35


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
    points = with_fields(
        x, y, z, **(computed | {n: v for n, v in fields.items() if n not in "xyz"})
    )
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
