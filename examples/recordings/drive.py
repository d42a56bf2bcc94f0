# SPDX-License-Identifier: Apache-2.0
"""Two seconds of a robot that was never built: ``python drive.py drive.mcap``.

Rates and sizes are those of usual sensors; contents are drawn. Points have 32 bytes, as
drivers lay them out, of which 22 are fields.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import CompressionType, Writer
from rosbags.typesys import Stores, get_typestore

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
DRAWN = np.random.default_rng(1)


def header(tick: int, frame: str) -> Any:
    stamp = TYPES["builtin_interfaces/msg/Time"](*divmod(tick * 10**9 // TICKS_HZ, 10**9))
    return TYPES["std_msgs/msg/Header"](stamp, frame)


def points(tick: int) -> Any:
    """Return a scan of a ring that turns, with a centimetre of noise."""
    angle = np.linspace(0, 2 * np.pi, POINTS)
    rows = np.zeros((POINTS, POINT_BYTES // 4), np.float32)
    rows[:, 0], rows[:, 1] = 20 * np.cos(angle), 20 * np.sin(angle)
    rows[:, :3] += DRAWN.normal(0, 0.01, (POINTS, 3))
    rows[:, 4] = DRAWN.integers(0, 255, POINTS)
    field = TYPES["sensor_msgs/msg/PointField"]
    return TYPES["sensor_msgs/msg/PointCloud2"](
        header(tick, "lidar"), 1, POINTS, [field(*about, 1) for about in FIELDS], False,
        POINT_BYTES, POINT_BYTES * POINTS, rows.view(np.uint8).ravel(), True,
    )  # fmt: skip


def image(tick: int) -> Any:
    ramp = np.arange(WIDTH * HEIGHT * 3, dtype=np.uint32) // WIDTH + tick
    return TYPES["sensor_msgs/msg/Image"](
        header(tick, "camera"), HEIGHT, WIDTH, "rgb8", 0, 3 * WIDTH, ramp.astype(np.uint8)
    )


def imu(tick: int) -> Any:
    vector, turn = TYPES["geometry_msgs/msg/Vector3"], TYPES["geometry_msgs/msg/Quaternion"]
    spread = np.zeros(9)
    measured = [vector(*DRAWN.normal(0, 1, 3)) for _ in range(2)]
    return TYPES["sensor_msgs/msg/Imu"](
        header(tick, "imu"),
        turn(0.0, 0.0, 0.0, 1.0),
        spread,
        measured[0],
        spread,
        measured[1],
        spread,
    )


TOPICS = [
    ("/points", "sensor_msgs/msg/PointCloud2", 10, points),
    ("/image", "sensor_msgs/msg/Image", 20, image),
    ("/imu", "sensor_msgs/msg/Imu", 100, imu),
]


def messages() -> Iterator[tuple[int, int, bytes]]:
    """Yield the number of a topic, the time in nanoseconds and the message."""
    for tick in range(TICKS_HZ * SECONDS):
        for number, (_, type_, rate_hz, message) in enumerate(TOPICS):
            if tick % (TICKS_HZ // rate_hz) == 0:
                data = STORE.serialize_cdr(message(tick), type_)
                yield number, tick * 10**9 // TICKS_HZ, bytes(data)


def main() -> None:
    with Path(sys.argv[1]).open("wb") as file:
        writer = Writer(file, compression=CompressionType.ZSTD)
        writer.start("ros2")
        channels = []
        for topic, type_, _, _ in TOPICS:
            text, _ = STORE.generate_msgdef(type_, ros_version=2)
            schema = writer.register_schema(type_, "ros2msg", text.encode())
            channels.append(writer.register_channel(topic, "cdr", schema))
        for number, time_ns, data in messages():
            writer.add_message(channels[number], time_ns, data, time_ns)
        writer.finish()


if __name__ == "__main__":
    main()
