# SPDX-License-Identifier: Apache-2.0
"""Packed clouds are what the page of their format says, and come back as they were."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import wirecost.cloud
from clouds import independent
from wirecost.data.clouds import scan_files
from wirecost.system.errors import UserError

ROOT = Path(__file__).parents[3]

Points = npt.NDArray[Any]


def scan(columns: int = 120, beams: int = 16) -> Points:
    """Return a scan with fields of every type, gaps between them, and values of every kind."""
    random = np.random.default_rng(3)
    kinds = ["<f4", "<f4", "<f4", "u1", "<u2", "<f8", "<f4", "(3,)i1", "<i4", "<u4", "<i2"]
    dtype = np.dtype(
        {
            "names": ["x", "y", "z", "intensity", "ring", "t", "noise", "a", "i", "u", "h"],
            "formats": kinds,
            "offsets": [0, 4, 8, 13, 14, 16, 24, 28, 32, 36, 40],
            "itemsize": 48,
        }
    )
    count = columns * beams
    points = np.zeros(count, dtype)
    beam = np.tile(np.arange(beams), columns)
    azimuth = np.repeat(np.linspace(0, 6, columns), beams)
    away = 8 + 3 * np.sin(2 * azimuth) + random.normal(0, 0.01, count)
    points["x"], points["y"] = away * np.cos(azimuth), away * np.sin(azimuth)
    points["z"] = away * (0.03 * beam - 0.2)
    points["ring"], points["intensity"] = beam, random.integers(0, 99, count)
    points["t"] = 1e9 + np.arange(count) * 1e-5
    for name, most in (("a", 100), ("i", 1 << 30), ("u", 1 << 32), ("h", 1 << 15)):
        points[name] = random.integers(0, most, points[name].shape)
    points["noise"] = random.integers(0, 1 << 32, count, np.uint32).view("<f4")
    return points[random.random(count) > 0.3]


def bytes_of(points: Points) -> bytes:
    """Return the fields' bytes, zero between them."""
    clean = np.zeros(points.shape, points.dtype)
    for name in points.dtype.names or ():
        clean[name] = points[name]
    return clean.tobytes()


@pytest.mark.parametrize("error", [None, 0.001, {"x": 0.01, "noise": 1.0, "t": 0.5}])
@pytest.mark.parametrize(("without", "quick"), [((), False), (("ring",), False), ((), True)])
def test_another_reader_finds_the_same(error: Any, without: tuple[str, ...], quick: bool) -> None:
    points = scan()
    points["x"][5], points["y"][7], points["z"][9] = np.nan, -np.inf, -0.0
    names = [name for name in points.dtype.names or () if name not in without]
    packed = wirecost.cloud.encode(points[names], error=error, quick=quick)
    decoded = wirecost.cloud.decode(packed)
    height, width, other = independent.unpack(packed)
    assert (height, width) == (1, len(points))
    assert other == decoded.tobytes()
    if error is None:
        assert other == bytes_of(points[names])


def test_rows_stay_rows() -> None:
    points = scan(8)[:64].reshape(4, 16)
    decoded = wirecost.cloud.decode(wirecost.cloud.encode(points))
    assert decoded.shape == (4, 16)
    assert bytes_of(decoded) == bytes_of(points)
    for empty in (points[:0].reshape(-1), np.zeros((0, 3), np.float32)):
        assert wirecost.cloud.decode(wirecost.cloud.encode(empty)).size == 0


def test_another_order_of_points_takes_more_bytes() -> None:
    points = scan()
    shuffled = np.random.default_rng(1).permutation(points)
    assert len(wirecost.cloud.encode(shuffled)) > 1.1 * len(wirecost.cloud.encode(points))


@pytest.mark.parametrize("kind", ["<f4", ">f4", "<f8"])
def test_floats_alone(kind: str) -> None:
    """Doubles stay doubles: such coordinates on a map are off by 25 cm as floats."""
    floats = np.random.default_rng(1).normal(0, 20, (500, 4))
    floats = (floats + ((500_000, 5_400_000, 100, 0) if kind == "<f8" else 0)).astype(kind)
    exact = wirecost.cloud.decode(wirecost.cloud.encode(floats))
    near = wirecost.cloud.decode(wirecost.cloud.encode(floats, error=0.002))
    for column, name in enumerate(("x", "y", "z", "intensity")):
        assert (exact[name] == floats[:, column]).all()
        away = np.abs(near[name].astype(float) - floats[:, column])
        assert away.max() <= (0 if name == "intensity" else 0.002)


@pytest.mark.parametrize(
    ("points", "error", "said"),
    [
        (np.zeros((3, 7)), None, "shape"),
        (np.zeros((3, 3), np.longdouble), None, "type"),
        (np.zeros(3, [("a", "<i8")]), None, "field a"),
        (np.zeros(3, [("a", "<i4")]), 0.1, "no x, y or z"),
        (np.zeros(3, [("x", "<i4")]), 0.1, "no field of floats"),
        (np.zeros((3, 3)), -1.0, "negative"),
    ],
)
def test_what_cannot_be_packed_is_named(points: Points, error: float, said: str) -> None:
    with pytest.raises(UserError, match=said):
        wirecost.cloud.encode(points, error=error)


@pytest.mark.parametrize("quick", [False, True])
def test_what_is_no_packed_cloud_is_refused(quick: bool) -> None:
    packed = wirecost.cloud.encode(scan(), error=0.001, quick=quick)
    for damaged in (b"", b"WPC1", packed[:-1], packed + b"\0", b"WPC2" + packed[4:]):
        with pytest.raises(UserError, match="pack the cloud again"):
            wirecost.cloud.decode(damaged)
    with pytest.raises(UserError, match="limit="):
        wirecost.cloud.decode(packed, limit=1000)


@pytest.mark.parametrize("sensor", ["vlp16", "vlp32", "xt32"])
def test_real_scans_are_small(sensor: str) -> None:
    folder = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data"), "lidar", sensor)
    if not folder.is_dir():
        pytest.skip(f"no real scans at {folder}; set WIRECOST_DATA to where they are")
    (path,) = folder.glob("*.pcd")
    points = scan_files.load(path).points
    exact = wirecost.cloud.encode(points)
    assert bytes_of(wirecost.cloud.decode(exact)) == points.tobytes()
    near = wirecost.cloud.encode(points, error=0.0005)
    decoded = wirecost.cloud.decode(near)
    for name in "xyz":
        assert np.abs(decoded[name].astype(float) - points[name]).max() <= 0.0005
    assert len(near) < 0.25 * points.nbytes
    assert len(exact) < 0.5 * points.nbytes
    quick = wirecost.cloud.encode(points, error=0.0005, quick=True)
    again = wirecost.cloud.decode(quick)
    for name in points.dtype.names or ():
        assert again[name].tobytes() == decoded[name].tobytes()
    assert len(quick) < 0.45 * points.nbytes
