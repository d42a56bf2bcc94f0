# SPDX-License-Identifier: Apache-2.0
"""One small recording of every format, with a cloud where the format can hold one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import zstandard

from cost.drives import drive
from support.sensor_views import sensor_view
from wirecost.data.traces import create_trace


def _file(folder: Path, suffix: str) -> Path:
    """Write a file; rosbag2's lies in a folder of its name."""
    path = folder / f"small{suffix}"
    drive(path)
    return next(path.with_suffix("").glob(f"*{suffix}"), path)


def _packed(folder: Path) -> Path:
    plain = _file(folder, ".db3")
    path = plain.with_name(f"{plain.name}.zstd")
    path.write_bytes(zstandard.compress(plain.read_bytes()))
    return path


def _trace(folder: Path) -> Path:
    path = folder / "small_sv_.osi"
    with create_trace(path, "SensorView") as trace:
        for second in range(3):
            trace.write(second * 10**9, sensor_view(second))
    return path


_SMALL: dict[str, Callable[[Path], Path]] = {
    "mcap_file": lambda folder: _file(folder, ".mcap"),
    "bag": lambda folder: _file(folder, ".bag"),
    "db3": lambda folder: _file(folder, ".db3"),
    "ros2_folder": lambda folder: _file(folder, ".db3").parent,
    "zstd_file": _packed,
    "osi": _trace,
}


def small_recording(folder: Path, name: str) -> Path:
    """Write a small recording of a format into an empty folder, and return its path."""
    assert name in _SMALL, f"a small recording of {name} belongs into {__file__}"
    return _SMALL[name](folder)
