# SPDX-License-Identifier: Apache-2.0
"""Values of lists: seeded synthetic sensors, and real scans.

A content has the values of each field by its path in the schema, one for each element, in the units
of the schema: metres, radians, seconds, decibel, hertz.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds import scan_files
from wirecost.system.errors import UserError

from .settings import SCANNED_LISTS

Array = npt.NDArray[Any]
Content = dict[str, Array]

SPEED_OF_LIGHT = 299_792_458.0
RADAR_HERTZ = 77e9
BEAMS = 32
ROTATION_NS = 100_000_000
"""Duration of a turn of a spinning lidar at 10 Hz."""


def synthetic(name: str, count: int, seed: int) -> Content:
    """Make ``count`` elements of a list, the same for the same seed."""
    return SYNTHETIC[name](np.random.default_rng(seed), count)


def _radar_reflection(random: np.random.Generator, count: int) -> Content:
    distance = random.uniform(1, 200, count)
    return {
        "signal_strength": -40 - 40 * np.log10(distance / 10) + random.normal(0, 3, count),
        "time_of_flight": 2 * distance / SPEED_OF_LIGHT,
        "doppler_shift": 2 * random.normal(0, 15, count) * RADAR_HERTZ / SPEED_OF_LIGHT,
        "source_horizontal_angle": random.uniform(-1.2, 1.2, count),
        "source_vertical_angle": random.normal(0, 0.05, count),
    }


def _radar_detection(random: np.random.Generator, count: int) -> Content:
    distance = random.uniform(1, 200, count)
    return {
        "existence_probability": random.beta(8, 1, count),
        "object_id.value": random.integers(1, 200, count),
        "position.distance": distance,
        "position.azimuth": random.uniform(-1.2, 1.2, count),
        "position.elevation": random.normal(0, 0.05, count),
        "position_rmse.distance": 0.05 + 0.001 * distance,
        "position_rmse.azimuth": np.full(count, 0.003),
        "position_rmse.elevation": np.full(count, 0.01),
        "radial_velocity": random.normal(0, 15, count),
        "radial_velocity_rmse": np.full(count, 0.1),
        "rcs": random.normal(5, 8, count),
        "snr": random.uniform(8, 45, count),
        "point_target_probability": random.beta(2, 2, count),
        "classification": random.choice([0, 1, 2, 3], count, p=[0.1, 0.1, 0.2, 0.6]),
    }


def _lidar_reflection(random: np.random.Generator, count: int) -> Content:
    return {
        "signal_strength": random.uniform(-60, 0, count),
        "time_of_flight": 2 * random.uniform(0.5, 200, count) / SPEED_OF_LIGHT,
    }


def _lidar_detection(random: np.random.Generator, count: int) -> Content:
    beam, azimuth, elevation, distance, share = _turn(random, count)
    return {
        "existence_probability": 1 - 0.2 * random.beta(1, 8, count),
        "object_id.value": np.repeat(random.integers(0, 60, count // 16 + 1), 16)[:count],
        "position.distance": distance,
        "position.azimuth": azimuth,
        "position.elevation": elevation,
        "intensity": 100 * share / 255,
        "classification": random.choice([0, 1, 3], count, p=[0.1, 0.1, 0.8]),
        "beam_id.value": beam,
    }


def _point(random: np.random.Generator, count: int) -> Content:
    beam, azimuth, elevation, distance, share = _turn(random, count)
    return {
        "x": distance * np.cos(elevation) * np.cos(azimuth),
        "y": distance * np.cos(elevation) * np.sin(azimuth),
        "z": distance * np.sin(elevation),
        "intensity": share,
        "ring": beam,
        "return_type": random.choice([1, 2, 3], count, p=[0.85, 0.1, 0.05]),
        "time": np.arange(count) * ROTATION_NS // max(count, 1),
    }


def _turn(random: np.random.Generator, count: int) -> tuple[Array, ...]:
    """Make a turn of a spinning lidar: beam, azimuth, elevation, distance, intensity (0 to 255)."""
    beam = np.arange(count) % BEAMS
    columns = count // BEAMS + 1
    walls = 5 + 60 * np.abs(np.cumsum(random.normal(0, 0.03, columns)))
    step = np.arange(count) // BEAMS
    azimuth = 2 * np.pi * step / columns + random.normal(0, 1e-4, count)
    elevation = np.radians(-25 + 40 * beam / (BEAMS - 1))
    distance = np.minimum(walls[step] / np.cos(elevation), 200) + random.normal(0, 0.02, count)
    return beam, azimuth, elevation, distance, random.integers(0, 256, count)


def _moving_object(random: np.random.Generator, count: int) -> Content:
    """Make the traffic of a motorway; all vehicles of a kind have the same dimensions."""
    kinds = random.choice(4, count, p=[0.7, 0.1, 0.15, 0.05])
    lengths = np.array([[4.5, 1.8, 1.5], [5.5, 2.0, 2.2], [16.5, 2.5, 3.8], [2.2, 0.9, 1.5]])
    speed = random.normal(30, 5, count)
    yaw = random.normal(0, 0.02, count)
    zero = np.zeros(count)
    content = {
        "id.value": 10 + np.arange(count),
        "type": np.full(count, 2),
        "vehicle_classification.type": np.array([4, 6, 7, 10])[kinds],
        "vehicle_classification.light_state.indicator_state": random.choice(
            [2, 3, 4], count, p=[0.9, 0.05, 0.05]
        ),
        "vehicle_classification.light_state.brake_light_state": random.choice(
            [2, 3], count, p=[0.9, 0.1]
        ),
        "base.position.x": random.uniform(-2000, 2000, count),
        "base.position.y": 3.5 * random.integers(-3, 3, count) + random.normal(0, 0.2, count),
        "base.velocity.x": speed * np.cos(yaw),
        "base.velocity.y": speed * np.sin(yaw),
        "base.acceleration.x": random.normal(0, 0.5, count),
        "base.acceleration.y": random.normal(0, 0.1, count),
        "base.orientation.yaw": yaw,
        "base.orientation_rate.yaw": random.normal(0, 0.01, count),
    }
    for axis, name in enumerate(("length", "width", "height")):
        content[f"base.dimension.{name}"] = lengths[kinds, axis]
    for direction, share in zip("xyz", (-0.3, 0.0, -0.2), strict=True):
        content[f"vehicle_attributes.bbcenter_to_rear.{direction}"] = share * lengths[kinds, 0]
    for name in ("position", "velocity", "acceleration"):
        content[f"base.{name}.z"] = zero
    for name in ("orientation", "orientation_rate"):
        content |= {f"base.{name}.roll": zero, f"base.{name}.pitch": zero}
    return content


SYNTHETIC: dict[str, Callable[[np.random.Generator, int], Content]] = {
    "radar-reflection": _radar_reflection,
    "radar-detection": _radar_detection,
    "lidar-reflection": _lidar_reflection,
    "lidar-detection": _lidar_detection,
    "moving-object": _moving_object,
    "point": _point,
}


def of_scan(name: str, path: Path) -> Content:
    """Read a real scan as a list of ``SCANNED``; points without a position are left out.

    A field that the file does not have is 0. Raises UserError.
    """
    fields = scan_files.read(path)
    for axis in "xyz":
        if axis not in fields:
            raise UserError(f"{path}: has no field {axis}; name a scan with x, y and z")
    x, y, z = (fields[axis].astype(np.float64) for axis in "xyz")
    valid = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & ((x != 0) | (y != 0) | (z != 0))
    if not valid.any():
        raise UserError(f"{path}: has no points; name a scan that has some")
    return SCANNED[name](
        {axis: values[valid] for axis, values in zip("xyz", (x, y, z), strict=True)}
        | {axis: values[valid] for axis, values in fields.items() if axis not in "xyz"}
    )


def _field(points: Content, *names: str) -> Array:
    """Return the first of these fields that a scan has, or zeros."""
    return next((points[name] for name in names if name in points), np.zeros(len(points["x"])))


def _intensity(points: Content) -> Array:
    """Return intensities as part of full scale: 255 or, of real numbers up to 1, 1."""
    stored = _field(points, "intensity")
    is_part = stored.dtype.kind == "f" and stored.max() <= 1
    return stored.astype(np.float64) / (1 if is_part else 255)


def _distance(points: Content) -> Array:
    x, y, z = (points[axis] for axis in "xyz")
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def _scanned_reflection(points: Content) -> Content:
    distance = _distance(points)
    level = 10 * np.log10(np.maximum(_intensity(points), 1 / 255)) - 20 * np.log10(distance)
    return {"signal_strength": level, "time_of_flight": 2 * distance / SPEED_OF_LIGHT}


def _scanned_detection(points: Content) -> Content:
    distance = _distance(points)
    zeros = np.zeros(len(distance))
    return {
        "existence_probability": zeros + 1,
        "object_id.value": zeros,
        "position.distance": distance,
        "position.azimuth": np.arctan2(points["y"], points["x"]),
        "position.elevation": np.arcsin(points["z"] / distance),
        "intensity": 100 * _intensity(points),
        "classification": zeros,
        "beam_id.value": _field(points, "channel", "ring"),
    }


def _scanned_point(points: Content) -> Content:
    return {
        **{axis: points[axis] for axis in "xyz"},
        "intensity": _field(points, "intensity").astype(np.float64),
        "ring": _field(points, "channel", "ring"),
        "return_type": _field(points, "return_type"),
        "time": _field(points, "time_stamp", "time"),
    }


SCANNED: dict[str, Callable[[Content], Content]] = dict(
    zip(SCANNED_LISTS, (_scanned_reflection, _scanned_detection, _scanned_point), strict=True)
)
"""Lists that a real scan can fill."""
