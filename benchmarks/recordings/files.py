# SPDX-License-Identifier: Apache-2.0
"""The recordings: one topic each, compressed by zstd, seeded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rosbags.typesys import Stores, get_typestore

from wirecost.data.recordings.mcap.writer import McapSchema, McapWriter

_STORE = get_typestore(Stores.ROS2_JAZZY)
_T = _STORE.types
_RANDOM = np.random.default_rng(1)
POINTS, POSES, MARKERS = 30_000, 200, 100


class BenchFile(NamedTuple):
    """``message``: makes the message of a number."""

    topic: str
    type: str
    messages: int
    message: Callable[[int], Any]


def _header(number: int) -> Any:
    time = _T["builtin_interfaces/msg/Time"](number // 1000, number % 1000 * 10**6)
    return _T["std_msgs/msg/Header"](time, "base_link")


def _numbers(count: int) -> list[float]:
    return [float(value) for value in _RANDOM.normal(size=count)]


def _vector() -> Any:
    return _T["geometry_msgs/msg/Vector3"](*_numbers(3))


def _pose() -> Any:
    point = _T["geometry_msgs/msg/Point"](*_numbers(3))
    return _T["geometry_msgs/msg/Pose"](point, _T["geometry_msgs/msg/Quaternion"](*_numbers(4)))


def _imu(number: int) -> Any:
    turn, none = _T["geometry_msgs/msg/Quaternion"](*_numbers(4)), np.zeros(9)
    return _T["sensor_msgs/msg/Imu"](_header(number), turn, none, _vector(), none, _vector(), none)


def _path(number: int) -> Any:
    poses = [_T["geometry_msgs/msg/PoseStamped"](_header(number), _pose()) for _ in range(POSES)]
    return _T["nav_msgs/msg/Path"](_header(number), poses)


def _points(number: int) -> Any:
    fields = [
        _T["sensor_msgs/msg/PointField"](name, 4 * place, 7, 1) for place, name in enumerate("xyz")
    ]
    data = _RANDOM.normal(size=4 * POINTS).astype(np.float32).view(np.uint8)
    return _T["sensor_msgs/msg/PointCloud2"](
        _header(number), 1, POINTS, fields, False, 16, 16 * POINTS, data, True
    )


def _markers(number: int) -> Any:
    color = _T["std_msgs/msg/ColorRGBA"](1.0, 0.5, 0.25, 1.0)
    points = [_T["geometry_msgs/msg/Point"](*_numbers(3)) for _ in range(10)]
    nothing = np.zeros(0, np.uint8)
    compressed = _T["sensor_msgs/msg/CompressedImage"](_header(0), "", nothing)
    mesh = _T["visualization_msgs/msg/MeshFile"]("", nothing)
    return _T["visualization_msgs/msg/MarkerArray"]([
        _T["visualization_msgs/msg/Marker"](
            _header(number), "lane", place, 4, 0, _pose(), _vector(), color,
            _T["builtin_interfaces/msg/Duration"](0, 0), False, points, [color] * 10, "",
            compressed, [], "", "", mesh,
            False,
        )
        for place in range(MARKERS)
    ])  # fmt: skip


FILES = {
    "Imu": BenchFile("/imu", "sensor_msgs/msg/Imu", 100_000, _imu),
    "PointCloud2": BenchFile("/points", "sensor_msgs/msg/PointCloud2", 500, _points),
    "Path": BenchFile("/path", "nav_msgs/msg/Path", 1_000, _path),
    "MarkerArray": BenchFile("/markers", "visualization_msgs/msg/MarkerArray", 300, _markers),
}


def write_file(folder: Path, name: str) -> Path:
    """Write a recording. Of long ones every thousandth message is new."""
    about = FILES[name]
    text, _ = _STORE.generate_msgdef(about.type, ros_version=2)
    path = folder / f"{name}.mcap"
    distinct = [
        bytes(_STORE.serialize_cdr(about.message(number), about.type))
        for number in range(min(about.messages, 1000 if name == "Imu" else 50))
    ]
    with path.open("wb") as file:
        writer = McapWriter(file, "ros2")
        schema = McapSchema(about.type, "ros2msg", text.encode())
        channel = writer.channel(about.topic, "cdr", schema)
        for number in range(about.messages):
            writer.write(channel, number * 10**6, distinct[number % len(distinct)])
        writer.finish()
    return path
