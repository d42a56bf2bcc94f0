# SPDX-License-Identifier: Apache-2.0
"""An example recording: two seconds of a robot that was never built.

Rates and sizes are those of usual sensors; contents are drawn. Points have 32 bytes, as
drivers lay them out, of which 22 are fields.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from wirecost.data.recordings.mcap.writer import McapSchema, McapWriter
from wirecost.system.errors import UserError
from wirecost.system.whole_file import replaced

TICKS_HZ, SECONDS = 100, 2
POINTS, POINT_BYTES = 65_536, 32
FIELDS = [
    ("x", 0, 7),
    ("y", 4, 7),
    ("z", 8, 7),
    ("intensity", 16, 7),
    ("ring", 20, 4),
    ("t", 24, 6),
]
WIDTH, HEIGHT = 640, 480
STORE = get_typestore(Stores.ROS2_HUMBLE)
TYPES = STORE.types
Drawn = np.random.Generator


def _header(tick: int, frame: str) -> Any:
    stamp = TYPES["builtin_interfaces/msg/Time"](*divmod(tick * 10**9 // TICKS_HZ, 10**9))
    return TYPES["std_msgs/msg/Header"](stamp, frame)


def _points(tick: int, drawn: Drawn) -> Any:
    """Return a scan of a ring that turns, with a centimetre of noise."""
    angle = np.linspace(0, 2 * np.pi, POINTS)
    rows = np.zeros((POINTS, POINT_BYTES // 4), np.float32)
    rows[:, 0], rows[:, 1] = 20 * np.cos(angle), 20 * np.sin(angle)
    rows[:, :3] += drawn.normal(0, 0.01, (POINTS, 3))
    rows[:, 4] = drawn.integers(0, 255, POINTS)
    field = TYPES["sensor_msgs/msg/PointField"]
    return TYPES["sensor_msgs/msg/PointCloud2"](
        _header(tick, "lidar"), 1, POINTS, [field(*about, 1) for about in FIELDS], False,
        POINT_BYTES, POINT_BYTES * POINTS, rows.view(np.uint8).ravel(), True,
    )  # fmt: skip


def _image(tick: int, _drawn: Drawn) -> Any:
    ramp = np.arange(WIDTH * HEIGHT * 3, dtype=np.uint32) // WIDTH + tick
    return TYPES["sensor_msgs/msg/Image"](
        _header(tick, "camera"), HEIGHT, WIDTH, "rgb8", 0, 3 * WIDTH, ramp.astype(np.uint8)
    )


def _imu(tick: int, drawn: Drawn) -> Any:
    vector, turn = TYPES["geometry_msgs/msg/Vector3"], TYPES["geometry_msgs/msg/Quaternion"]
    spread = np.zeros(9)
    measured = [vector(*drawn.normal(0, 1, 3)) for _ in range(2)]
    return TYPES["sensor_msgs/msg/Imu"](
        _header(tick, "imu"),
        turn(0.0, 0.0, 0.0, 1.0),
        spread,
        measured[0],
        spread,
        measured[1],
        spread,
    )


TOPICS = [
    ("/points", "sensor_msgs/msg/PointCloud2", 10, _points),
    ("/image", "sensor_msgs/msg/Image", 20, _image),
    ("/imu", "sensor_msgs/msg/Imu", 100, _imu),
]


def _messages() -> Iterator[tuple[int, int, bytes]]:
    """Yield the number of a topic, the time in nanoseconds and the message."""
    drawn = np.random.default_rng(1)
    for tick in range(TICKS_HZ * SECONDS):
        for number, (_, type_, rate_hz, message) in enumerate(TOPICS):
            if tick % (TICKS_HZ // rate_hz) == 0:
                data = STORE.serialize_cdr(message(tick, drawn), type_)
                yield number, tick * 10**9 // TICKS_HZ, bytes(data)


def write_example(path: Path) -> None:
    """Write the recording. Raises UserError where another file is there, OSError."""
    content = _content()
    if path.exists() and path.read_bytes() != content:
        raise UserError(f"{path}: another file is there; remove it, or go to another folder")
    with replaced(path) as new_file:
        new_file.write_bytes(content)


def _content() -> bytes:
    memory = io.BytesIO()
    writer = McapWriter(memory, "ros2")
    channels = []
    for topic, type_, _, _ in TOPICS:
        text, _ = STORE.generate_msgdef(type_, ros_version=2)
        channels.append(writer.channel(topic, "cdr", McapSchema(type_, "ros2msg", text.encode())))
    for number, time_ns, data in _messages():
        writer.write(channels[number], time_ns, data)
    writer.finish()
    return memory.getvalue()
