# SPDX-License-Identifier: Apache-2.0
"""What lists hold: seeded synthetic sensors, and real scans.

A content is a list's values by the field's path in the schema, each an array of one value an
element, in the units of the schema: metres, radians, seconds, decibel, hertz.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.bench.repeated.choices import LISTS
from wirecost.errors import UserError
from wirecost.scans import pcd

Array = npt.NDArray[Any]
Content = dict[str, Array]

SPEED_OF_LIGHT = 299_792_458.0
RADAR_HERTZ = 77e9
BEAMS = 32
ROTATION_NS = 100_000_000
"""Of a spinning lidar at 10 Hz."""
OF_SCANS = ("lidar-reflection", "lidar-detection", "point")
"""Lists that a real scan can fill."""


def synthetic(name: str, count: int, seed: int) -> Content:
    """``count`` elements of a list, the same for the same seed."""
    return _MAKERS[name](np.random.default_rng(seed), count)


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
    """A spinning lidar's turn: beam, azimuth, elevation, distance, intensity from 0 to 255."""
    beam = np.arange(count) % BEAMS
    columns = count // BEAMS + 1
    walls = 5 + 60 * np.abs(np.cumsum(random.normal(0, 0.03, columns)))
    step = np.arange(count) // BEAMS
    azimuth = 2 * np.pi * step / columns + random.normal(0, 1e-4, count)
    elevation = np.radians(-25 + 40 * beam / (BEAMS - 1))
    distance = np.minimum(walls[step] / np.cos(elevation), 200) + random.normal(0, 0.02, count)
    return beam, azimuth, elevation, distance, random.integers(0, 256, count)


def _moving_object(random: np.random.Generator, count: int) -> Content:
    """A motorway's traffic; all vehicles of a kind have the same dimensions."""
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


_MAKERS: dict[str, Callable[[np.random.Generator, int], Content]] = dict(
    zip(
        LISTS,
        (
            _radar_reflection,
            _radar_detection,
            _lidar_reflection,
            _lidar_detection,
            _moving_object,
            _point,
        ),
        strict=True,
    )
)


def of_scan(name: str, path: Path) -> Content:
    """A real scan as one of ``OF_SCANS``; points without a place are left out.

    What the file has no field for is 0 throughout, intensity as well. Raises UserError.
    """
    fields = pcd.read(path)
    for axis in "xyz":
        if axis not in fields:
            raise UserError(f"{path}: has no field {axis}; name a scan with x, y and z")
    x, y, z = (fields[axis].astype(np.float64) for axis in "xyz")
    there = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & ((x != 0) | (y != 0) | (z != 0))
    if not there.any():
        raise UserError(f"{path}: has no points; name a scan that has some")
    x, y, z = x[there], y[there], z[there]

    def field(*names: str) -> Array:
        return next((fields[n][there] for n in names if n in fields), np.zeros(len(x)))

    distance = np.sqrt(x * x + y * y + z * z)
    intensity = field("intensity").astype(np.float64)
    ring = field("channel", "ring")
    if name == "lidar-reflection":
        return {
            "signal_strength": 10 * np.log10(np.maximum(intensity, 1) / 255)
            - 20 * np.log10(distance),
            "time_of_flight": 2 * distance / SPEED_OF_LIGHT,
        }
    if name == "lidar-detection":
        none = np.zeros(len(x))
        return {
            "existence_probability": none + 1,
            "object_id.value": none,
            "position.distance": distance,
            "position.azimuth": np.arctan2(y, x),
            "position.elevation": np.arcsin(z / distance),
            "intensity": 100 * intensity / 255,
            "classification": none,
            "beam_id.value": ring,
        }
    return {
        "x": x,
        "y": y,
        "z": z,
        "intensity": intensity,
        "ring": ring,
        "return_type": field("return_type"),
        "time": field("time_stamp", "time"),
    }
